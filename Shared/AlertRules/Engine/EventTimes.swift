/// The newest events that a leaf has counted, by their times.
///
/// An event is over after a while. Delivered again later, as while nothing can be stored, it would begin anew: it counts
/// once.
struct EventTimes: Hashable, Sendable {
    private static let most = 8
    private(set) var times: [Int64] = []

    mutating func note(_ time: Int64) {
        guard !times.contains(time) else { return }
        times.append(time)
        if times.count > Self.most { times.removeFirst() }
    }

    func contains(_ time: Int64) -> Bool { times.contains(time) }
}

extension EventTimes {
    func encode(into writer: inout ByteWriter) {
        writer.write(times.count)
        for time in times { writer.write(time) }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        for _ in 0..<(try reader.count()) { note(try reader.time()) }
    }
}
