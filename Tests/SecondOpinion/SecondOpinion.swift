import Foundation
import SensorIngest
import VigilSchema

/// Compares what the formats accept with what Foundation makes of the same bytes.
package enum SecondOpinion {
    private static let received = Timestamp(microseconds: 1_700_000_000_000_000)

    /// Returns what is wrong with what the formats make of the bytes; nil where nothing is.
    package static func objection(to bytes: [UInt8]) -> String? {
        guard !misleadsFoundation(bytes) else { return nil }
        for format in PayloadFormats.standard.formats {
            guard let decoded = try? format.decode(bytes.span, received: received) else { continue }
            if let objection = objection(to: decoded, of: format.name, bytes) { return "\(format.name): \(objection)" }
        }
        return nil
    }

    /// Returns whether a number stands there that Foundation's JSONDecoder (6.3) refuses though RFC 8259 allows it. JSONSerialization takes both.
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

    /// Checks what holds for every reading of every format.
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

/// A reading in the native format as Foundation's decoder sees it: the second opinion in differential tests and fuzzing.
struct SlowReading: Decodable {
    let metric: String
    /// Nil where it is missing; without a number where it is a text.
    let time: Time?
    let value: Double?
    let samples: [Double]?
    let text: String?
    let unit: String?

    /// A time in seconds, or a text.
    struct Time: Decodable {
        let seconds: Double?

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            seconds = try? value.decode(Double.self)
            if seconds == nil { _ = try value.decode(String.self) }
        }
    }

    /// One that is not there where an element is none.
    private struct Lossy: Decodable {
        let reading: SlowReading?

        init(from decoder: any Decoder) throws {
            reading = try? decoder.singleValueContainer().decode(SlowReading.self)
        }
    }

    private struct Envelope: Decodable {
        let observations: [Lossy]
    }

    /// The document's readings by place; nil for what is none. Throws where Foundation refuses the document.
    static func decode(_ bytes: [UInt8]) throws -> [SlowReading?] {
        let decoder = JSONDecoder()
        let data = Data(bytes)
        if let envelope = try? decoder.decode(Envelope.self, from: data) { return envelope.observations.map(\.reading) }
        if bytes.first(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }) == UInt8(ascii: "[") {
            return try decoder.decode([Lossy].self, from: data).map(\.reading)
        }
        return [try decoder.decode(SlowReading.self, from: data)]
    }
}

/// A SenML record in JSON as Foundation's decoder sees it: the second opinion in differential tests and fuzzing.
struct SlowRecord: Decodable {
    /// The meaning of a record once the base fields are applied.
    struct Resolved {
        let name: String
        let value: Double?
        let text: String?
    }

    private enum CodingKeys: String, CodingKey {
        case bn, bv, n, v, vs, vb
    }

    private let bn: String?
    private let bv: Double?
    private let n: String?
    private let v: Double?
    private let vs: String?
    private let vb: Bool?

    init(from decoder: any Decoder) throws {
        guard let fields = try? decoder.container(keyedBy: CodingKeys.self) else {
            (bn, bv, n, v, vs, vb) = (nil, nil, nil, nil, nil, nil)
            return
        }
        bn = try? fields.decode(String.self, forKey: .bn)
        bv = try? fields.decode(Double.self, forKey: .bv)
        n = try? fields.decode(String.self, forKey: .n)
        v = try? fields.decode(Double.self, forKey: .v)
        vs = try? fields.decode(String.self, forKey: .vs)
        vb = try? fields.decode(Bool.self, forKey: .vb)
    }

    /// The pack's records with the base fields applied. Throws where Foundation refuses the document.
    static func decode(_ bytes: [UInt8]) throws -> [Resolved] {
        var baseName = "", baseValue: Double?
        return try JSONDecoder().decode([SlowRecord].self, from: Data(bytes)).map { record in
            baseName = record.bn ?? baseName
            baseValue = record.bv ?? baseValue
            let value = record.v.map { $0 + (baseValue ?? 0) } ?? record.vb.map { $0 ? 1 : 0 }
            return Resolved(name: baseName + (record.n ?? ""), value: value ?? (record.vs == nil ? baseValue : nil), text: record.vs)
        }
    }
}
