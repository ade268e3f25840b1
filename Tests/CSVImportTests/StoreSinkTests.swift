import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import CSVImport

@Suite("Delivery of an import into a store")
struct StoreSinkTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("vigil-import-sink") }

    private func batch(_ values: [Double], unit: String = "/min") -> PreparedBatch {
        let observations = values.enumerated().map { place, value in
            Observation(metric: "heart-rate", time: Timestamp(seconds: 1_700_000_000 + Double(place)), content: .value(value), unit: unit)
        }
        let received = Timestamp(seconds: 1_700_000_100)
        let group = ObservationGroup(participant: "ann", source: "watch", received: received, observations: observations)
        return PreparedBatch(
            index: 0, partition: Partition(participant: "ann"),
            batch: ObservationBatch(id: ULID.make(at: received), origin: "o", groups: [group]))
    }

    @Test("counts what is new, what was there already, what replaces another value, and what the store refuses")
    func counts() async throws {
        let store = try #require(StoreAddress("sqlite:\(folder.path("timeline.sqlite"))")).store(password: nil)
        let sink = StoreSink(store, patience: .zero)
        #expect(sink.wantsBatches)
        #expect(try await sink.deliver(batch([60, 61, 62])) == DeliveryCounts(stored: 3))
        #expect(try await sink.deliver(batch([60, 61, 62, 63])) == DeliveryCounts(stored: 1, duplicates: 3))
        #expect(try await sink.deliver(batch([60, 71, 72, 63])) == DeliveryCounts(duplicates: 2, corrections: 2))
        #expect(
            try await sink.deliver(batch([64, 65], unit: "kg"))
                == DeliveryCounts(refused: 2, reasons: ["the unit is not /min, which the metric is stored in"]))
        await store.close()
    }

    @Test("gives up a store that is away once its patience is over")
    func away() async throws {
        let store = try #require(StoreAddress("postgresql://nobody@127.0.0.1:1/none")).store(password: nil)
        let error = await #expect(throws: ImportError.self) { _ = try await StoreSink(store, patience: .zero).deliver(batch([60])) }
        #expect(error?.code == .sink && error?.message.hasPrefix("the store: ") == true)
        await store.close()
    }

    @Test("of nothing delivers nothing, and wants no batches")
    func none() async throws {
        #expect(!NoSink().wantsBatches)
        #expect(try await NoSink().deliver(batch([60])) == DeliveryCounts())
    }
}
