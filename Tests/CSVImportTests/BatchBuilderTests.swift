import Testing
import VigilSchema

@testable import CSVImport

@Suite("Batches of an import")
struct BatchBuilderTests {
    private static let received = Timestamp(seconds: 1_700_000_000)
    /// "ann" with two sources of one partition, and "bernd".
    private static let subjects = [("ann", "watch"), ("ann", "scale"), ("bernd", "watch")].map { name, source in
        Subjects.Subject(participant: name, source: source, session: nil, partition: Partition(participant: name), series: 0)
    }
    private static let metrics = [
        MetricPlan(name: "heart-rate", unit: "/min", definition: nil), MetricPlan(name: "note", unit: "", definition: nil),
        MetricPlan(name: "ecg", unit: "mV", definition: nil),
    ]

    private func cell(_ subject: Int32 = 0, _ value: Double = 61, metric: Int32 = 0, text: Int32 = AcceptedCell.noText) -> AcceptedCell {
        AcceptedCell(
            time: Int64(value) * 1_000_000, value: value, subject: subject, metric: metric, sequence: 0, text: text, zone: ParsedTime.noZone
        )
    }

    private func batches(_ block: ReadingBlock) -> (full: [PreparedBatch], rest: [PreparedBatch]) {
        var builder = BatchBuilder(origin: "o", received: Self.received)
        let full = builder.add(block, subjects: Self.subjects, metrics: Self.metrics)
        return (full, builder.finish())
    }

    @Test("are closed at 64,000 estimated bytes: 208 for the group, 114 for each heart rate of it")
    func full() {
        // 208 + 559 × 114 = 63,934, and one more reading is too much for it.
        for count in [559, 560, 561, 1120] {
            var block = ReadingBlock()
            block.readings = (0..<count).map { cell(0, Double($0)) }
            let (full, rest) = batches(block)
            #expect(full.map(\.batch.count) == Array(repeating: 560, count: count / 560))
            #expect(rest.map(\.batch.count) == (count % 560 == 0 ? [] : [count % 560]))
            let all = (full + rest).flatMap(\.batch.groups).flatMap(\.observations)
            #expect(all.map(\.time.seconds) == (0..<count).map(Double.init))
            #expect((full + rest).map(\.index) == Array(0..<(full + rest).count))
        }
    }

    @Test("are of the same part of a file whether readings in it are withheld or not, and keep their numbers without any")
    func withheld() {
        var block = ReadingBlock()
        block.readings = (0..<1200).map { cell(0, Double($0)) }
        let (full, rest) = batches(block)
        block.withheld = Set(0..<560).union([600, 1199])
        let (fewer, last) = batches(block)
        #expect((fewer + last).map(\.index) == (full + rest).map(\.index))
        #expect((fewer + last).map(\.isEmpty) == [true, false, false])
        let kept = (fewer + last).flatMap(\.batch.groups).flatMap(\.observations).map(\.time.seconds)
        let expected: [Double] = (560..<1199).filter { $0 != 600 }.map(Double.init)
        #expect(kept == expected)
        #expect(fewer.last?.batch.count == 559 && last.last?.batch.count == 79)
    }

    @Test("count two bytes for each of a text, and twenty for each sample", arguments: [false, true])
    func sizes(isText: Bool) {
        // 208 + 100 + 4 + 2 × 31,844 = 64,000; 208 + 100 + 5 + 20 × 3,184 = 63,993.
        for (count, isFull) in isText ? [(31_843, false), (31_844, true)] : [(3_184, false), (3_185, true)] {
            var block = ReadingBlock()
            if isText {
                block.texts = [String(repeating: "x", count: count)]
                block.readings = [cell(metric: 1, text: 0)]
            } else {
                block.samples = [(Array(repeating: 0, count: count), 0.004)]
                block.readings = [cell(metric: 2, text: -2)]
            }
            let (full, rest) = batches(block)
            #expect(full.count == (isFull ? 1 : 0) && rest.count == (isFull ? 0 : 1))
        }
    }

    @Test("are one a partition, with a group for each of its sources")
    func partitions() {
        var block = ReadingBlock()
        block.readings = [cell(0, 1), cell(0, 2), cell(2, 3), cell(1, 4), cell(0, 5), cell(2, 6)]
        let (full, rest) = batches(block)
        #expect(full.isEmpty)
        #expect(rest.map(\.partition) == [Partition(participant: "ann"), Partition(participant: "bernd")].sorted())
        let groups = rest.flatMap(\.batch.groups)
        let found = groups.map { "\($0.participant) \($0.source) \($0.observations.map(\.time.seconds))" }.sorted()
        #expect(found == ["ann scale [4.0]", "ann watch [1.0, 2.0, 5.0]", "bernd watch [3.0, 6.0]"])
        #expect(rest.allSatisfy { $0.batch.origin == "o" } && groups.allSatisfy { $0.received == Self.received })
    }

    @Test("count a group for each source: 209 and 208 bytes of heads before their readings")
    func heads() {
        // 208 + 208 + 557 × 114 = 63,914, so that the 558th reading closes the batch; with one source it would be the 560th.
        var block = ReadingBlock()
        block.readings = [cell(0, 0)] + (1..<600).map { cell(1, Double($0)) }
        #expect(batches(block).full.map(\.batch.count) == [558])
    }

    @Test("keep the groups of an export as they were, closed at the same size")
    func groups() {
        func group(_ count: Int, _ participant: String = "ann", at received: Double = 5) -> ReadingBlock {
            var block = ReadingBlock()
            let head = ObservationGroup(
                participant: participant, source: "watch", session: "s", received: Timestamp(seconds: received), observations: [])
            for number in 0..<count {
                block.add(
                    Observation(metric: "heart-rate", time: Timestamp(seconds: Double(number)), content: .value(61), unit: "/min"), of: head
                )
            }
            return block
        }
        for count in [559, 560, 561, 1121] {
            let (full, rest) = batches(group(count))
            #expect(full.map(\.batch.count) == Array(repeating: 560, count: count / 560))
            #expect(rest.map(\.batch.count) == (count % 560 == 0 ? [] : [count % 560]))
            let groups = (full + rest).flatMap(\.batch.groups)
            #expect(groups.allSatisfy { $0.received == Timestamp(seconds: 5) && $0.session == "s" && $0.participant == "ann" })
            #expect(groups.flatMap(\.observations).map(\.time.seconds) == (0..<count).map(Double.init))
        }
        // 208 + 114 + 208 + 556 × 114 = 63,914, to which come a third head and its reading.
        var builder = BatchBuilder(origin: "o", received: Self.received)
        #expect(builder.add(group(1), subjects: [], metrics: []).isEmpty)
        #expect(builder.add(group(556, at: 6), subjects: [], metrics: []).isEmpty)
        #expect(builder.add(group(1, at: 7), subjects: [], metrics: []).map(\.batch.count) == [558])
        #expect(builder.finish().isEmpty)
    }

    @Test("are counted by what became of their observations")
    func counts() {
        let one = DeliveryCounts(stored: 1, duplicates: 20, corrections: 300, refused: 4000)
        #expect(one.total == 4321 && DeliveryCounts().total == 0)
        #expect(
            one + DeliveryCounts(stored: 5, duplicates: 6, corrections: 7, refused: 8)
                == DeliveryCounts(stored: 6, duplicates: 26, corrections: 307, refused: 4008))
        #expect(DeliveryCounts(reasons: ["a", "b", "a", "c", "d"]).reasons == ["a", "b", "c"], "each once, and three at most")
        let (first, second) = (DeliveryCounts(reasons: ["a"]), DeliveryCounts(reasons: ["b", "a", "c", "d"]))
        #expect((first + second).reasons == ["a", "b", "c"] && (second + first).reasons == ["b", "a", "c"])
    }
}
