/// A progress line: a bar, how much, how fast, how long.
struct ProgressText {
    private static let width = 30

    /// Bytes read, and to be read in all where that is known.
    let bytes: Int
    let total: Int?
    /// Cells read.
    let cells: Int
    /// Since the start.
    let seconds: Double

    var line: String {
        let rate = seconds > 0 ? Int(Double(cells) / seconds) : 0
        let amount = "\(ProgressText.megabytes(bytes)) MB, \(cells) cells, \(rate) cells/s"
        guard let total, total > 0, bytes > 0 else { return amount }
        let share = min(1, Double(bytes) / Double(total))
        let filled = Int(share * Double(ProgressText.width))
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: ProgressText.width - filled)
        let remaining = Int((seconds / share - seconds).rounded(.up))
        return "[\(bar)] \(Int(share * 100)) % \(amount), \(remaining / 60) min \(remaining % 60) s left"
    }

    /// How far the fetching of a URL is.
    static func download(of url: String, received: Int, total: Int?) -> String {
        let whole = total.map { " of \(megabytes($0)) MB, \(received * 100 / max($0, 1)) %" } ?? ""
        return "fetching \(url): \(megabytes(received)) MB\(whole)"
    }

    private static func megabytes(_ bytes: Int) -> Double { (Double(bytes) / 100_000).rounded() / 10 }
}
