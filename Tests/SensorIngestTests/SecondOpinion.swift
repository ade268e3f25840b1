import Foundation
import SensorIngest
import VigilSchema

/// Compares what the formats accept with what Foundation makes of the same bytes.
enum SecondOpinion {
    private static let received = Timestamp(microseconds: 1_700_000_000_000_000)

    /// What is wrong with what the formats make of the bytes; nil where nothing is.
    static func objection(to bytes: [UInt8]) -> String? {
        guard !misleadsFoundation(bytes) else { return nil }
        for format in PayloadFormats.standard.formats {
            guard let decoded = try? format.decode(bytes.span, received: received) else { continue }
            if let objection = objection(to: decoded, of: format.name, bytes) { return "\(format.name): \(objection)" }
        }
        return nil
    }

    /// Whether a number stands there that Foundation's JSONDecoder (6.3) refuses though RFC 8259 allows it. JSONSerialization takes both.
    private static func misleadsFoundation(_ bytes: [UInt8]) -> Bool {
        let isOfNumber = Set("0123456789+-.eE".utf8)
        return bytes.split { !isOfNumber.contains($0) }.contains { isZeroWithExponent($0) || isTooSmall($0) }
    }

    /// A lone zero with a small `e`, such as `0e5`; it takes `0E5`.
    private static func isZeroWithExponent(_ number: ArraySlice<UInt8>) -> Bool {
        let digits = number.drop { $0 == UInt8(ascii: "-") }
        return digits.starts(with: "0e".utf8)
    }

    /// A number that is no zero and that a Double rounds to zero, such as `1e-990`.
    private static func isTooSmall(_ number: ArraySlice<UInt8>) -> Bool {
        guard number.contains(UInt8(ascii: "-")) || number.count > 300 else { return false }
        guard let value = Double(String(decoding: number, as: UTF8.self)) else { return false }
        let mantissa = number.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
        return value == 0 && mantissa.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    }

    private static func objection(to decoded: DecodedReadings, of format: String, _ bytes: [UInt8]) -> String? {
        for located in decoded.readings {
            if let objection = objection(to: located, bytes) { return objection }
        }
        guard !decoded.readings.isEmpty else { return nil }
        switch format {
        case NativeFormat().name: return native(decoded, bytes)
        case SenMLJSONFormat().name: return senml(decoded, bytes)
        default: return nil
        }
    }

    /// What holds for every reading of every format.
    private static func objection(to located: ParsedObservation, _ bytes: [UInt8]) -> String? {
        let offsets = located.offsets
        for offset in [offsets.element, offsets.metric, offsets.time, offsets.content, offsets.unit]
        where offset < 0 || offset >= bytes.count {
            return "an offset lies outside the payload"
        }
        switch located.observation.content {
        case .value(let value): return value.isFinite ? nil : "a value is not finite"
        case .samples(let samples, let period):
            return samples.isEmpty || !samples.allSatisfy(\.isFinite) || !(period > 0) ? "samples are wrong" : nil
        case .text(let text): return text.isEmpty ? "a text is empty" : nil
        }
    }

    private static func native(_ decoded: DecodedReadings, _ bytes: [UInt8]) -> String? {
        guard let slow = try? SlowReading.decode(bytes) else { return "Foundation refuses the document" }
        for located in decoded.readings {
            let index = located.index ?? 0
            guard index < slow.count, let other = slow[index] else { return "Foundation refuses reading \(index)" }
            let one = located.observation
            let isSameTime = other.time?.seconds.map { abs(one.time.seconds - $0) <= abs($0) * 1e-15 + 1e-6 } ?? true
            guard one.metric == other.metric, isSameTime else {
                return "metric or time of reading \(index) differ"
            }
            switch one.content {
            case .value(let value): if value != other.value { return "value \(index) differs" }
            case .text(let text): if text != other.text { return "text \(index) differs" }
            case .samples(let samples, _): if samples != other.samples { return "samples \(index) differ" }
            }
        }
        return nil
    }

    private static func senml(_ decoded: DecodedReadings, _ bytes: [UInt8]) -> String? {
        guard let slow = try? SlowRecord.decode(bytes) else { return "Foundation refuses the document" }
        for located in decoded.readings {
            guard let index = located.index, index < slow.count else { return "a reading has no record" }
            guard slow[index].name.hasSuffix(located.observation.metric) else { return "the name of record \(index) differs" }
            switch located.observation.content {
            case .value(let value): if value != slow[index].value { return "value \(index) differs" }
            case .text(let text): if text != slow[index].text { return "text \(index) differs" }
            case .samples: return "SenML has no samples"
            }
        }
        return nil
    }
}
