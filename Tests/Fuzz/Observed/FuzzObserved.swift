import Foundation
import Synchronization
import TimelineStore
import VigilSchema

@testable import Dashboard

/// libFuzzer's entry for what stands behind the bus: any observations that a canonical batch can hold go into a timeline and into the dashboard's
/// live picture, each beside an honest reading. Beside a crash it reports a delivery that cannot be stored, an honest reading that is not there, a
/// question that fails, and an answer or a picture that is no JSON. Built and linked by deploy/fuzz.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzObserved(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let document = Array(UnsafeBufferPointer(start: start, count: count))
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        await Suite.shared.take(ObservedDocument(bytes: document[...], number: Suite.shared.nextNumber()))
        done.signal()
    }
    done.wait()
    return 0
}

/// A store in a file of its own, and a live picture. Each document has participants of its own, so that it fails alone as it did among others.
private final class Suite: Sendable {
    static let shared = Suite()

    private let store: SQLiteStore
    private let hub = LiveHub()
    private let number = Mutex(0)

    private init() {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fuzz-observed-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = SQLiteStore(path: folder.appending(path: "timeline.sqlite").path)
    }

    func nextNumber() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }

    func take(_ document: ObservedDocument) async {
        var (document, honest) = (document, Int64(0))
        do {
            while let groups = document.next() {
                let beside = document.honest(honest)
                let counts = try await store.append(groups.map { ObservationBatch(id: "b", groups: [$0]) } + [beside])
                guard counts.last?.stored == 1 else { return object("an honest reading was not stored: \(counts)") }
                honest += 1
                for group in groups { hub.take(ObservationBatch(id: "b", groups: [group])) }
            }
            guard honest > 0 else { return }
            for name in [document.participant, document.bystander] { try await ask(about: name, document.end) }
            try look(at: document.participant)
        } catch {
            object("\(error)")
        }
    }

    private func ask(about participant: String, _ end: Timestamp) async throws {
        for span in [PageSpan.day, .week, .year] {
            _ = try JSONEncoder().encode(try await store.page(participant: participant, span, to: end))
        }
        for value in try await store.latest(participant: participant) where value.value?.isFinite == false { object("\(value)") }
        for metric in ObservedDocument.metrics {
            let range = SeriesRange(participant: participant, metric: metric, from: end.advanced(bySeconds: -7 * 86_400), to: end)
            _ = try JSONEncoder().encode(try await store.series(range, width: 100).map(\.mean))
            _ = try await store.histogram(range, by: .hour, zone: "Asia/Kolkata", keepsEmpty: false)
        }
    }

    private func look(at participant: String) throws {
        let picture = hub.picture(of: participant, pseudonyms: Pseudonyms(secret: "s"), now: 0)
        _ = try picture.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
        _ = hub.forget(participant)
    }
}

private func object(_ words: String) {
    FileHandle.standardError.write(Data("objection: \(words)\n".utf8))
    abort()
}

/// Reads groups of observations out of arbitrary bytes; only those that a batch on the bus can hold.
private struct ObservedDocument {
    /// With and without bounds, counters, and one that is not in the catalogue.
    static let metrics = ["airflow", "ecg", "heart-rate", "steps", "respiration", "blood-volume-pulse", "body-temperature", "unheard-of"]
    /// Numbers at which arithmetic breaks.
    private static let edges = [
        0, 2024 * Double.leastNonzeroMagnitude, -Double.leastNonzeroMagnitude, 1.7e308, -1.7e308, 0.5e308, 1e308, 1e154, -1e154, 1e290,
        -1e290, 1e19, -1e19, 70, 36.6, -0.0,
    ]
    private static let steps = [0, 0.000_001, 1, 60, 3600, 86_400, -60, -86_400]
    private static let origin = Timestamp(seconds: 1_700_000_000)

    let participant: String
    let bystander: String
    private var bytes: ArraySlice<UInt8>
    private var now = origin
    private(set) var end = origin

    init(bytes: ArraySlice<UInt8>, number: Int) {
        self.bytes = bytes
        participant = "p\(number)"
        bystander = "h\(number)"
    }

    /// The groups of the next delivery: one to four.
    mutating func next() -> [ObservationGroup]? {
        guard let first = bytes.popFirst() else { return nil }
        let groups = (0...Int(first & 3)).compactMap { _ in group() }
        end = max(end, now.advanced(bySeconds: 60))
        return groups
    }

    /// A reading of somebody else.
    func honest(_ number: Int64) -> ObservationBatch {
        let time = Self.origin.advanced(bySeconds: Double(number))
        let reading = Observation(metric: "heart-rate", time: time, content: .value(60), unit: "/min")
        return ObservationBatch(
            id: "h", groups: [ObservationGroup(participant: bystander, source: "w", received: time, observations: [reading])])
    }

    private mutating func group() -> ObservationGroup? {
        guard let kind = bytes.popFirst() else { return nil }
        now = now.advanced(bySeconds: Self.steps[Int(kind & 7)])
        let metric = Self.metrics[Int(kind >> 3 & 7)]
        guard let content = kind & 64 == 0 ? number().map(Observation.Content.value) : samples() else { return nil }
        let interval: Int32 = kind & 128 == 0 ? 0 : 60
        let unit = MetricCatalogue.standard.definition(named: metric)?.unit ?? "1"
        let observation = Observation(metric: metric, time: now, interval: interval, content: content, unit: unit)
        let group = ObservationGroup(participant: participant, source: "d", received: now, observations: [observation])
        let message = BatchEncoder.encode(ObservationBatch(id: "b", groups: [group]))
        return try? BatchDecoder().decode(message.span).groups.first
    }

    private mutating func samples() -> Observation.Content? {
        guard let length = bytes.popFirst(), let period = number() else { return nil }
        let samples = (0...Int(length & 31)).compactMap { _ in number() }
        return samples.isEmpty ? nil : .samples(samples, period: period.isNormal ? abs(period) : 0.004)
    }

    /// An edge, or any finite number.
    private mutating func number() -> Double? {
        guard let choice = bytes.popFirst() else { return nil }
        if choice < 128 { return Self.edges[Int(choice & 15)] }
        let bits = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(8)
        let number = Double(bitPattern: bits)
        return number.isFinite ? number : 0
    }
}
