import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Rows on their way")
struct PreparedTests {
    private func identity(_ time: Int64, _ sequence: Int32 = 0, participant: Int32 = 1) -> Identity {
        Identity(time: time, participant: participant, metric: 1, source: 1, sequence: sequence)
    }

    private func place(_ observation: Int32) -> RowPosition { RowPosition(batch: 0, group: 0, observation: observation) }

    private func reading(
        _ time: Int64, _ sequence: Int32 = 0, at place: Int32 = 0, session: Int32 = ReadingRow.none, origin: Int32 = ReadingRow.none,
        text: Int32 = ReadingRow.none
    ) -> ReadingRow {
        ReadingRow(
            identity: identity(time, sequence), value: 1, received: 0, text: text, session: session, origin: origin, zone: .min,
            place: self.place(place))
    }

    private func block(
        _ time: Int64, seconds: Int, at place: Int32 = 0, session: Int32 = ReadingRow.none, origin: Int32 = ReadingRow.none
    ) -> BlockRow {
        BlockRow(
            identity: identity(time), samples: Array(repeating: 0, count: seconds), period: 1, encoded: [], received: 0, session: session,
            origin: origin, zone: .min, place: self.place(place))
    }

    @Test("lie in the order of the tables' keys, those of one identity in the order of arrival")
    func order() {
        var prepared = Prepared(batches: 1)
        prepared.readings = [reading(5, at: 0), reading(3, 1, at: 1), reading(3, 0, at: 4), reading(5, at: 3), reading(3, 0, at: 2)]
        prepared.blocks = [block(9, seconds: 1, at: 2), block(7, seconds: 1, at: 8), block(9, seconds: 1, at: 1)]
        prepared.sort()
        #expect(prepared.readings.map(\.place.observation) == [2, 4, 1, 0, 3])
        #expect(prepared.blocks.map(\.place.observation) == [8, 1, 2])
    }

    @Test("are parted by their places, and what is refused is rejected with its reason")
    func parts() {
        var prepared = Prepared(batches: 2)
        prepared.readings = [reading(1, at: 0), reading(2, at: 1), reading(3, at: 2, text: 0)]
        prepared.blocks = [block(1, seconds: 1, at: 3), block(2, seconds: 1, at: 4)]
        prepared.texts = ["said"]
        #expect(prepared.text(prepared.readings[2]) == "said" && prepared.text(prepared.readings[0]) == nil)
        let part = prepared.keeping([place(1), place(4)])
        #expect(part.readings.map(\.place.observation) == [1] && part.blocks.map(\.place.observation) == [4])
        #expect(part.counts == prepared.counts)
        let rest = prepared.removing([place(1): "odd", place(4): "strange"])
        #expect(rest.readings.map(\.place.observation) == [0, 2] && rest.blocks.map(\.place.observation) == [3])
        #expect(
            rest.counts[0].rejections.sorted { $0.observation < $1.observation } == [
                AppendRejection(group: 0, observation: 1, reason: "odd"), AppendRejection(group: 0, observation: 4, reason: "strange"),
            ])
        #expect(rest.counts[1] == AppendCounts())
        prepared.reject(RowPosition(batch: 1, group: 7, observation: 9), "late")
        #expect(prepared.counts == [AppendCounts(), AppendCounts(rejections: [AppendRejection(group: 7, observation: 9, reason: "late")])])
    }

    @Test("a place comes before another by batch, then group, then observation, and not before itself")
    func places() {
        let one = RowPosition(batch: 1, group: 1, observation: 1)
        #expect(!(one < one) && one.observation(5) == RowPosition(batch: 1, group: 1, observation: 5))
        #expect(RowPosition(batch: 0, group: 2, observation: 2) < one && RowPosition(batch: 1, group: 0, observation: 2) < one)
        #expect(RowPosition(batch: 1, group: 1, observation: 0) < one && !(RowPosition(batch: 2, group: 0, observation: 0) < one))
    }

    @Test("a session and an import reach from the first of their rows to the last, blocks to their end, whatever lies between")
    func bounds() {
        var prepared = Prepared(batches: 1)
        prepared.readings = [
            reading(10, session: 7, origin: 3), reading(20, session: 7), reading(30), reading(40, session: 8, origin: 4),
            reading(50, session: 7, origin: 4), reading(60, session: 9, origin: 3), reading(70),
        ]
        prepared.blocks = [
            block(35, seconds: 2, session: 8), block(55, seconds: 1, session: 9, origin: 5), block(0, seconds: 1),
            block(99, seconds: 3, origin: 5),
        ]
        let updates = TimeBounds.updates(prepared)
        let found = updates.map { update -> [Int64] in
            #expect(update.values.count == 3)
            return update.values.map { SQLRow([$0]).integer(0) }
        }
        #expect(
            found == [
                [7, 10, 50], [8, 35, 2_000_035], [9, 55, 1_000_055], [3, 10, 60], [4, 40, 50], [5, 55, 3_000_099],
            ])
        #expect(updates.map { $0.sql.contains("UPDATE session") } == [true, true, true, false, false, false])
        #expect(updates.suffix(3).allSatisfy { $0.sql.contains("UPDATE origin") })
        prepared.readings = [reading(5), reading(6, session: 1)]
        prepared.blocks = []
        #expect(TimeBounds.updates(prepared).map { SQLRow($0.values).integer(1) } == [6])
        #expect(TimeBounds.updates(Prepared(batches: 0)).isEmpty)
    }

    @Test("a session's times widen at both ends, and shrink by nothing that comes between", arguments: StoreKind.allCases)
    func widening(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            for (times, first, last) in [
                ([20.0, 10, 12], 10.0, 20.0), ([15], 10, 20), ([5, 11], 5, 20), ([30], 5, 30), ([5, 30], 5, 30), ([2, 40], 2, 40),
            ] {
                _ = try await store.append([batch(times.map { heartRate(60, at: $0) }, session: "05")])
                let expected = SessionSummary(name: "05", first: start.advanced(bySeconds: first), last: start.advanced(bySeconds: last))
                #expect(try await store.sessions(participant: "12") == [expected])
            }
        }
    }

    @Test("a block is of no interval, and a reading over a second is another series than one of a moment", arguments: StoreKind.allCases)
    func intervals(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            var second = heartRate(60), samples = ecg([1, 2, 3], period: 0.5)
            second.interval = 1
            samples.interval = 60
            #expect(try await store.append([batch([heartRate(61), second, samples])]) == [AppendCounts(stored: 3)])
            let periods = try await store.read { connection throws(StoreError) in
                try connection.rows("SELECT s.name, s.period FROM source s ORDER BY s.period").map { [$0.text(0), "\($0.integer(1))"] }
            }
            #expect(periods == [["watch", "0"], ["watch", "1"]])
            #expect(try await store.count("waveform", where: "source = (SELECT id FROM source WHERE period = 0)") == 1)
            #expect(try await store.count("metric", where: "name = 'ecg' AND longest = 1500000") == 1)
            #expect(try await store.count("metric", where: "name = 'heart-rate' AND longest = 0") == 1)
        }
    }
}
