import AlertRules

/// The ids of the batches that were taken lately, so that one that comes again after a crash is not judged twice.
struct RecentBatches {
    private static let capacity = 8192
    private var known: Set<String> = []
    private var order: [String] = []
    private var oldest = 0

    /// Whether it is new; notes it.
    mutating func insert(_ id: String) -> Bool {
        guard known.insert(id).inserted else { return false }
        if order.count < Self.capacity {
            order.append(id)
        } else {
            known.remove(order[oldest])
            order[oldest] = id
            oldest = (oldest + 1) % Self.capacity
        }
        return true
    }

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.write(order.count)
        for place in order.indices { writer.write(order[(oldest + place) % order.count]) }
        return writer.bytes
    }

    init() {}

    init(decoding bytes: [UInt8]) throws(ByteReader.Damage) {
        var reader = ByteReader(bytes)
        for _ in 0..<(try reader.count()) { _ = insert(try reader.text()) }
    }
}
