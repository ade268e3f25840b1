/// The share of glucose readings within 70–180 mg/dL over the last 24 hours, by the hour.
struct TimeInRange: Hashable, Sendable {
    private static let hour: Int64 = 3600 * 1_000_000
    /// Hours at most.
    static let capacity = 24
    /// Hour number, readings, readings in range; at most `capacity`.
    private(set) var hours: [Hour] = []

    struct Hour: Hashable, Sendable {
        let number: Int64
        var readings: Int32
        var inRange: Int32
    }

    /// Takes a reading; gives the percentage when a new hour begins and at least 12 readings are there.
    mutating func add(_ value: Double, at time: Int64) -> Double? {
        let number = time / Self.hour
        let isInRange: Int32 = (70...180).contains(value) ? 1 : 0
        if let place = hours.firstIndex(where: { $0.number == number }) {
            hours[place].readings += 1
            hours[place].inRange += isInRange
            return nil
        }
        guard number > hours.last?.number ?? .min else { return nil }
        let result = percentage
        hours.removeAll { $0.number <= number - Int64(Self.capacity) }
        hours.append(Hour(number: number, readings: 1, inRange: isInRange))
        return result
    }

    mutating func restore(_ hours: [Hour]) { self.hours = hours }

    private var percentage: Double? {
        let readings = hours.reduce(0) { $0 + $1.readings }
        guard readings >= 12 else { return nil }
        return Double(hours.reduce(0) { $0 + $1.inRange }) / Double(readings) * 100
    }
}
