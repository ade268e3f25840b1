import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Sums, buckets and keys")
struct RollupValueTests {
    private func one(_ value: Double, at microseconds: Int64, sequence: Int32 = 0) -> Aggregate {
        Aggregate(value: value, time: Timestamp(microseconds: microseconds), sequence: sequence)
    }

    @Test("take readings in in any order: first and last by time, then by sequence")
    func merging() {
        let parts = [
            one(5, at: 10), one(-2, at: 20, sequence: 1), one(7, at: 20, sequence: 2), one(1, at: 10, sequence: 3), one(3, at: 15),
        ]
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3], [3, 1, 0, 2, 4]] {
            var sum = parts[order[0]]
            for place in order.dropFirst() { sum.merge(parts[place]) }
            #expect(sum.count == 5 && sum.sum == 14 && sum.min == -2 && sum.max == 7 && sum.mean == 2.8)
            #expect(sum.first == 5 && sum.firstTime.microseconds == 10 && sum.firstSequence == 0)
            #expect(sum.last == 7 && sum.lastTime.microseconds == 20 && sum.lastSequence == 2)
        }
        var both = one(1, at: 10)
        both.merge(one(2, at: 10))
        #expect(both.first == 1 && both.last == 2)
    }

    @Test(
        "begin at whole minutes, hours and days of UTC, before 1970 too",
        arguments: [
            (RollupLevel.minute, 60_000_000), (.hour, 3_600_000_000), (.day, 86_400_000_000),
        ] as [(RollupLevel, Int64)])
    func levels(level: RollupLevel, width: Int64) {
        #expect(level.width == width)
        for (time, start) in [(0, 0), (1, 0), (width - 1, 0), (width, width), (-1, -width), (-width, -width), (-width - 1, -2 * width)] {
            #expect(level.start(of: time) == start && level.start(of: Timestamp(microseconds: time)).microseconds == start)
        }
        #expect(level.table == "rollup_\(level)")
        #expect(RollupLevel.allCases.map(\.finer) == [nil, .minute, .hour])
    }

    private func identity(_ time: Int64, _ participant: Int32, _ metric: Int32, _ source: Int32, _ sequence: Int32 = 0) -> Identity {
        Identity(time: time, participant: participant, metric: metric, source: source, sequence: sequence)
    }

    @Test("sort as the tables' keys do")
    func order() {
        let rows = [
            identity(1, 9, 9, 9, 9), identity(2, 1, 9, 9, 9), identity(2, 2, 1, 9, 9), identity(2, 2, 2, 1, 9), identity(2, 2, 2, 2, 1),
            identity(2, 2, 2, 2, 2),
        ]
        #expect(rows.reversed().sorted() == rows && !(rows[0] < rows[0]))
        let places = [
            RowPosition(batch: 0, group: 9, observation: 9), .init(batch: 1, group: 0, observation: 9),
            .init(batch: 1, group: 1, observation: 0), .init(batch: 1, group: 1, observation: 1),
        ]
        #expect(places.reversed().sorted() == places)
        let minute: Int64 = 60_000_000
        let keys = [
            identity(9 * minute, 1, 9, 9), identity(9 * minute, 2, 1, 9), identity(minute, 2, 2, 9), identity(2 * minute, 2, 2, 1),
            identity(2 * minute, 2, 2, 2),
        ].map { RollupKey($0, level: .minute) }
        #expect(keys.reversed().sorted() == keys && !(keys[4] < keys[4]))
        #expect(keys[3].isBeside(keys[4]) && !keys[2].isBeside(keys[4]) && !keys[1].isBeside(keys[2]) && !keys[0].isBeside(keys[1]))
        #expect(!RollupKey(identity(0, 1, 2, 3), level: .minute).isBeside(RollupKey(identity(0, 1, 3, 3), level: .minute)))
        #expect(!RollupKey(identity(0, 1, 2, 3), level: .minute).isBeside(RollupKey(identity(0, 2, 2, 3), level: .minute)))
    }

    private func row(_ identity: Identity, _ value: Double, text: Int32 = ReadingRow.none) -> ReadingRow {
        ReadingRow(
            identity: identity, value: value, received: 0, text: text, session: -1, origin: -1, zone: .min,
            place: RowPosition(batch: 0, group: 0, observation: 0))
    }

    @Test("of an append are those of adding its numbers one by one, by minute, hour and day")
    func delta() {
        var delta = RollupDelta()
        var plain: [RollupLevel: [RollupKey: Aggregate]] = [:]
        for step in 0..<600 as Range<Int64> {
            // Three series whose rows alternate, 13 minutes apart, and many more that share the places of the newest minutes.
            let identity = identity(
                step / 3 * 780_000_000 + step, 1 + Int32(step % 2) * 128, Int32(step % 3), 5 + Int32(step % 5), Int32(step % 4))
            let reading = row(identity, Double(step % 17) - 4)
            delta.add(reading)
            for level in RollupLevel.allCases {
                let one = Aggregate(value: reading.value, time: Timestamp(microseconds: identity.time), sequence: identity.sequence)
                let key = RollupKey(identity, level: level)
                if plain[level]?[key]?.merge(one) == nil { plain[level, default: [:]][key] = one }
            }
        }
        delta.add(row(identity(0, 1, 1, 1), 99, text: 0))
        for (level, sums) in delta.levels() {
            #expect(sums.map(\.key) == plain[level]?.keys.sorted())
            #expect(sums.allSatisfy { plain[level]?[$0.key] == $0.aggregate })
        }
        delta.recount(identity(61_000_000, 1, 2, 3))
        #expect(delta.recounts.map(\.start) == [60_000_000])
    }

    @Test("a block ends a period after its last sample")
    func ends() {
        func block(_ count: Int, _ period: Double) -> BlockRow {
            BlockRow(
                identity: identity(1000, 1, 2, 3), samples: Array(repeating: 1, count: count), period: period, encoded: [], received: 0,
                session: -1,
                origin: -1, zone: .min, place: RowPosition(batch: 0, group: 0, observation: 0))
        }
        #expect(block(1, 1).ends == 1_001_000 && block(250, 0.004).ends == 1_001_000 && block(3, 1.0 / 3_000_000).ends == 1001)
    }

    private let today = Timestamp(microseconds: 20_000 * 86_400_000_000 + 5)
    private let day: Int64 = 86_400_000_000

    @Test("a rule keeps whole days; a metric's own goes before that of all, and rollups stay as long as readings")
    func retention() {
        let metrics: [(id: Int64, name: String)] = [(1, "ecg"), (2, "heart-rate")]
        let plan = RetentionPlan(
            [
                RetentionRule(.raw, metric: "ecg", days: 2), RetentionRule(.raw, days: 30), RetentionRule(.rollup, days: 10),
                RetentionRule(.waveform, metric: "ecg", days: 7),
            ],
            metrics: metrics, now: today)
        #expect(plan.horizons[.raw] == [1: 19_998 * day, 2: 19_970 * day])
        #expect(plan.horizons[.rollup] == [1: 19_990 * day, 2: 19_970 * day])
        #expect(plan.horizons[.waveform] == [1: 19_993 * day])
        #expect(plan.end(.raw) == 19_970 * day && plan.end(.waveform) == nil && plan.end(.rollup) == 19_970 * day)
        #expect(plan.metrics(.raw, goneBefore: 19_998 * day) == [1] && plan.metrics(.raw, goneBefore: 19_970 * day) == [1, 2])
        #expect(plan.metrics(.raw, goneBefore: 19_998 * day + 1) == [])
        let alone = RetentionPlan([RetentionRule(.rollup, days: 10)], metrics: metrics, now: today)
        #expect(alone.horizons[.rollup] == [:] && alone.end(.rollup) == nil && alone.metrics(.raw, goneBefore: 0) == [])
        var report = RetentionReport()
        for count in [0, 3, 4] { report.add(count, to: "reading") }
        report.add(0, to: "waveform")
        #expect(report.rows == ["reading": 7])
    }
}
