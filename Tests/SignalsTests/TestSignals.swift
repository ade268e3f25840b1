import Foundation
import SignalSynthesis
import Signals
import TestSupport

/// Signals that tests feed to the detectors.
enum TestSignals {
    /// A resting person's electrocardiogram, mV.
    static func ecg(seconds: Double, rate: Double = 250, seed: UInt64 = 1) -> [Float] {
        wearer(seconds: seconds, seed: seed) { $0.ecg = rate }.ecg
    }

    /// A resting person's signals.
    static func wearer(
        seconds: Double, seed: UInt64 = 1, state: WearerState = .rest, _ adjust: (inout SyntheticWearer.Rates) -> Void = { _ in }
    ) -> SyntheticWearer.Signals {
        var rates = SyntheticWearer.Rates()
        adjust(&rates)
        var wearer = SyntheticWearer(seed: seed, script: WearerScript([.init("only", seconds: 3600, state: state)]), rates: rates)
        return wearer.advance(seconds: seconds)
    }

    /// A wave between −1 and 1.
    static func wave(_ shape: (Double) -> Double, hertz: Double, rate: Double, seconds: Double) -> [Float] {
        (0..<Int(seconds * rate)).map { Float(shape((Double($0) * hertz / rate).truncatingRemainder(dividingBy: 1))) }
    }

    /// The beats that a fresh detector finds.
    static func beats(_ signal: [Float], rate: Double) -> [RPeak] {
        var detector = RPeakDetector(rate: rate)
        var peaks: [RPeak] = []
        detector.process(signal.span, into: &peaks)
        detector.finish(into: &peaks)
        return peaks
    }

    /// A column of one of NeuroKit's recordings.
    static func neurokit(_ file: String, column: Int) throws -> [Float] {
        guard let folder = RecordedData.folder else { return [] }
        let text = try String(contentsOf: folder.appending(path: "neurokit/\(file)"), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().compactMap { Float($0.split(separator: ",")[column]) }
    }
}

/// The sine, for tests that import nothing else of Foundation.
func sine(_ angle: Double) -> Double { sin(angle) }

/// exp(−x²/2).
func gauss(_ x: Double) -> Double { exp(-x * x / 2) }
