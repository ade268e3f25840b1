import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Sealed blocks")
struct SealedBlockTests {
    private static let day: Int64 = 1_484_784_000_000_000

    private static func reading(
        _ time: Int64, _ value: Double, sequence: Int32 = 0, received: Int64 = day, session: Int32 = ReadingRow.none,
        origin: Int32 = ReadingRow.none, zone: Int16 = .min
    ) -> SealedReading {
        SealedReading(
            time: time, sequence: sequence, value: value, received: received, session: session, origin: origin, zone: zone)
    }

    private func roundTrip(_ readings: [SealedReading], _ zstd: ZstdContext) throws {
        let bytes = SealedBlock.encode(readings, with: zstd)
        let decoded = try #require(SealedBlock.decode(bytes, with: zstd))
        #expect(decoded == readings)
    }

    private static let edges: [[SealedReading]] = [
        [reading(0, 0)], [reading(day, -0.0), reading(day + 1, 0)],
        [1e140, -1e140, .leastNonzeroMagnitude, .leastNormalMagnitude / 3, 1 / 3, -0.0].enumerated().map { reading(Int64($0), $1) },
        [.nan, .infinity, -.infinity, .greatestFiniteMagnitude].enumerated().map { reading(Int64($0), $1) },
        [reading(.min, 1), reading(.min + 1, 2), reading(0, 3), reading(.max, 4)],
        [reading(5, 1, sequence: .min), reading(5, 1, sequence: -1), reading(5, 1), reading(5, 1, sequence: .max)],
        [reading(1, 1, received: .min), reading(2, 1, received: .max), reading(3, 1, received: -1)],
        [reading(1, 1, session: .max, origin: 7, zone: .max), reading(2, 1, session: 1, zone: -720), reading(3, 1, origin: .min)],
        (0..<Int64(SealedBlock.largestCount)).map { reading(day + $0 * 1_000_000, 60) },
        // One more than a batch holds, each batch received at once.
        (0..<700).map { reading(day + $0 * 40_000, Double($0 % 5) / 10, received: day + ($0 / 25 + 1) * 1_000_003) },
    ]

    @Test("give every reading back bit for bit", arguments: edges.indices)
    func exact(_ index: Int) throws { try roundTrip(Self.edges[index], ZstdContext()) }

    /// Even and uneven times, repeated times told apart by their sequence, receipts at once, late and by a clock that
    /// was set, changing sessions.
    @Test("give every random reading back bit for bit", arguments: 0..<12)
    func random(_ seed: Int) throws {
        let zstd = ZstdContext()
        var random = Generator(state: UInt64(seed) + 1)
        for _ in 0..<60 { try roundTrip(Self.readings(&random), zstd) }
    }

    private static func readings(_ random: inout Generator) -> [SealedReading] {
        let step: Int64 = [1, 1000, 40_000, 1_000_000, 60_000_000].randomElement(using: &random) ?? 1
        let (jitter, lag) = (Int64.random(in: 0...step, using: &random), Int64.random(in: 0...1_000_000, using: &random))
        let power: Double = [1, 10, 1000, 3].randomElement(using: &random) ?? 1
        var next = reading(day + Int64.random(in: -9...9, using: &random) * day, 60, session: 4, origin: 2, zone: 60)
        return (0..<Int.random(in: 1...500, using: &random)).map { _ in
            let isBeside = Int.random(in: 0..<20, using: &random) == 0
            next.time += isBeside ? 0 : step + Int64.random(in: 0...jitter, using: &random) / 2
            next.sequence = isBeside ? next.sequence + Int32.random(in: 1...3, using: &random) : 0
            next.value = (next.value * power + Double(Int.random(in: -3...3, using: &random))).rounded() / power
            if Int.random(in: 0..<200, using: &random) == 0 { next.value = Double.random(in: -1e140...1e140, using: &random) }
            next.received = next.time + Int64.random(in: -5...lag, using: &random)
            if Int.random(in: 0..<100, using: &random) == 0 { next.received = Int64.random(in: -day...day, using: &random) }
            if Int.random(in: 0..<50, using: &random) == 0 { next.session = Int32.random(in: -1...9, using: &random) }
            if Int.random(in: 0..<50, using: &random) == 0 { next.origin = Int32.random(in: -1...9, using: &random) }
            if Int.random(in: 0..<50, using: &random) == 0 {
                next.zone = ([.min, 0, 60, 120] as [Int16]).randomElement(using: &random) ?? 0
            }
            return next
        }
    }

    /// The goals are 6 bytes in PostgreSQL and 10 in SQLite, with what the tables add.
    @Test("take less than 3.5 bytes a reading of vitals that come every second, whose receipts jitter by 50 ms")
    func size() throws {
        let zstd = ZstdContext()
        var random = Generator(state: 7)
        var rate = 70.0
        let readings = (0..<Int64(14_400)).map { second in
            rate += Double(Int.random(in: -1...1, using: &random))
            return Self.reading(
                Self.day + second * 1_000_000, rate,
                received: Self.day + second * 1_000_000 + Int64.random(in: 3000...53_000, using: &random),
                session: 3, zone: 60)
        }
        try roundTrip(readings, zstd)
        #expect(Double(SealedBlock.encode(readings, with: zstd).count) / Double(readings.count) < 3.5)
    }

    @Test("never are other readings where any bit is another, and are nothing where the end is missing")
    func broken() {
        let zstd = ZstdContext()
        for readings in [Self.edges[7], (0..<300).map { Self.reading(Self.day + $0 * 1000, Double($0 * $0 % 17) / 3) }] {
            let good = SealedBlock.encode(readings, with: zstd)
            for index in good.indices {
                #expect(SealedBlock.decode(Array(good[..<index]), with: zstd) == nil)
                for bit in 0..<8 {
                    var bad = good
                    bad[index] ^= 1 << UInt8(bit)
                    // A bit of zstd's own header means nothing.
                    #expect([nil, readings].contains(SealedBlock.decode(bad, with: zstd)))
                }
            }
        }
    }
}
