/// Reads times of day and durations: `0:11`, `23:05:30`, `7:05 PM`.
enum ClockTime {
    /// Minutes, or nil.
    static func minutes(_ text: String) -> Double? {
        let words = text.split(separator: " ")
        guard let digits = words.first, words.count <= 2 else { return nil }
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false).map { UInt16($0) }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1], minute < 60 else { return nil }
        guard let second = parts.count == 3 ? parts[2] : 0, second < 60 else { return nil }
        let minutes = Double(minute) + Double(second) / 60
        switch words.count == 2 ? words[1].uppercased() : "" {
        case "": return Double(hour) * 60 + minutes
        case "AM" where (1...12).contains(hour): return Double(hour % 12) * 60 + minutes
        case "PM" where (1...12).contains(hour): return Double(hour % 12 + 12) * 60 + minutes
        default: return nil
        }
    }
}
