import Signals

/// Values of the last seconds by their time, bounded in count.
struct TimedValues: Sendable, Codable {
    private let span: Double
    private let capacity: Int
    private(set) var items: [Item] = []

    /// A value and its time.
    struct Item: Sendable, Codable {
        var time: Double
        var value: Double
    }

    /// - Parameter span: how long values are kept, in seconds.
    init(span: Double, capacity: Int) { (self.span, self.capacity) = (span, capacity) }

    /// Adds a value, in its place by time; one of a time that is already there replaces it.
    mutating func add(_ value: Double, at time: Double) {
        let index = items.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        if index > 0, items[index - 1].time == time { return items[index - 1].value = value }
        items.insert(Item(time: time, value: value), at: index)
        let end = items[items.count - 1].time
        let old = items.prefix { $0.time < end - span }.count
        items.removeFirst(max(old, items.count - capacity))
    }

    /// The values later than `start`, up to and with `end`.
    func values(after start: Double, through end: Double) -> [Double] {
        items.filter { $0.time > start && $0.time <= end }.map(\.value)
    }

    /// Their times.
    func times(after start: Double, through end: Double) -> [Double] {
        items.filter { $0.time > start && $0.time <= end }.map(\.time)
    }

    /// The median of a stretch; nil where there is nothing.
    func median(after start: Double, through end: Double) -> Double? { Median.of(values(after: start, through: end)) }

    mutating func removeAll() { items.removeAll(keepingCapacity: true) }
}
