import Plotting
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@Suite("Pictures of metrics")
struct MetricDrawingTests {
    private static let start = Timestamp(seconds: 1_700_000_000)

    @Test("draws a metric as a line and as bars, a waveform as a line, each another picture than that of nothing")
    func pictures() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let rates = (0..<600).map {
            Observation(
                metric: "heart-rate", time: Self.start.advanced(bySeconds: Double($0)), content: .value(60 + Double($0 % 30)), unit: "/min")
        }
        let wave = Observation(
            metric: "ecg", time: Self.start, content: .samples((0..<500).map { Double($0 % 50) / 50 }, period: 0.01), unit: "mV")
        let group = ObservationGroup(participant: "12", source: "watch", received: Self.start, observations: rates + [wave])
        _ = try await store.append([ObservationBatch(id: "b", groups: [group])])
        var pictures: Set<[UInt8]> = []
        for summary in try await store.metrics(participant: "12", counted: false) {
            for from in [Self.start, Self.start.advanced(bySeconds: -10_000)] {
                let range = SeriesRange(participant: "12", metric: summary.metric, from: from, to: from.advanced(bySeconds: 1000))
                let drawing = MetricDrawing(
                    store: store, summaries: [summary], range: range, zone: "Europe/Berlin", size: PictureSize(width: 640, height: 300))
                pictures.insert(try await drawing.overTime())
                if !summary.isWaveform { pictures.insert(try await drawing.bars(by: .hour)) }
            }
        }
        // Two lines, a line of nothing each (their titles differ), bars, and bars of nothing.
        #expect(pictures.count == 6)
        #expect(pictures.allSatisfy { Array($0.prefix(4)) == [0x89, 0x50, 0x4E, 0x47] })
        await store.close()
    }
}
