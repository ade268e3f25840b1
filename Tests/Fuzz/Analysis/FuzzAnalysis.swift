import Foundation
import Signals
import VigilSchema

@testable import StressAnalysis

/// libFuzzer's entry for what the analysis of stress is given from the bus: any blocks and readings that a canonical batch can hold, in any order and
/// with any times. Beside a crash it reports a derived value that is no number or not in the metric's range. Built and linked by
/// deploy/fuzz.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAnalysis(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var document = WearerDocument(bytes: Array(UnsafeBufferPointer(start: start, count: count))[...])
    var engine = StressEngine()
    while let batch = document.next() {
        engine.take(batch, defaultMode: .enhanced)
        for observation in engine.pending.values.joined() { check(observation) }
        engine.published()
    }
    return 0
}

private func check(_ observation: Observation) {
    guard case .value(let value) = observation.content else { return }
    let plausible = MetricCatalogue.standard.definition(named: observation.metric)?.plausible
    guard !value.isFinite || plausible?.contains(value) == false else { return }
    FileHandle.standardError.write(Data("objection: \(observation.metric) \(value)\n".utf8))
    abort()
}

/// Reads batches out of arbitrary bytes.
private struct WearerDocument {
    private static let metrics = WearerAnalysis.Metric.allCases.map(\.rawValue).sorted()
    private static let periods = [0.004, 0.04, 0.25, 1, 0.002, 0.0039]
    /// The moment at which a document begins.
    private static let origin = 1_700_000_000.0

    var bytes: ArraySlice<UInt8>
    private var now = origin

    init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// The next batch: a byte for the metric and the kind of time, one for how much time passes, then the content.
    mutating func next() -> ObservationBatch? {
        guard let kind = bytes.popFirst(), let passed = bytes.popFirst() else { return nil }
        now += Double(passed) / 8
        let metric = Self.metrics[Int(kind & 15) % Self.metrics.count]
        let time = kind & 16 == 0 ? now : time()
        guard let content = kind & 32 == 0 ? samples() : value() else { return nil }
        let observation = Observation(metric: metric, time: Timestamp(seconds: time), content: content, unit: "1")
        let group = ObservationGroup(
            participant: "12", source: kind & 64 == 0 ? "a" : "b", received: Timestamp(seconds: now), observations: [observation])
        return ObservationBatch(id: "b", groups: [group])
    }

    private mutating func value() -> Observation.Content? { number().map { .value($0) } }

    /// A wave of up to 255 steps, repeated so that a few bytes make seconds of signal.
    private mutating func samples() -> Observation.Content? {
        guard let shape = bytes.popFirst(), let length = bytes.popFirst() else { return nil }
        var period = Self.periods[Int(shape & 7) % Self.periods.count]
        if shape & 8 != 0, let given = number() { period = min(max(abs(given), 0.000_001), 86_400) }
        let scale = shape & 16 == 0 ? 0.01 : number() ?? 1
        let wave = bytes.prefix(Int(length)).map { min(max(scale * Double(Int8(bitPattern: $0)), -1e300), 1e300) }
        bytes = bytes.dropFirst(Int(length))
        guard !wave.isEmpty else { return nil }
        let times = 1 + Int(shape >> 5)
        return .samples(Array(repeatElement(wave, count: times).joined()), period: period)
    }

    /// Any finite number.
    private mutating func number() -> Double? {
        guard bytes.count >= 8 else { return nil }
        let bits = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(8)
        let number = Double(bitPattern: bits)
        return number.isFinite ? number : 0
    }

    /// Anywhere within the years that a time can name.
    private mutating func time() -> Double { number().map { min(max($0, -62_135_596_800), 253_402_300_799) } ?? now }
}
