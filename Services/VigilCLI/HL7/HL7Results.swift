import CSVImport
import Foundation
import ServiceKit
import VigilSchema

/// The results of an `ORU^R01` by participant: each `OBX` with a known code as a reading for `vigil-ingest`, which checks it as any device's.
struct HL7Results {
    private(set) var readings: [String: [Observation]] = [:]
    /// What could not be taken: the place and the reason, without values.
    private(set) var problems: [String] = []

    private var zone: WearerZone?

    /// - Parameter zone: The name of that of times without one; nil: such times are refused.
    init(_ message: HL7Message, zone: String?) {
        self.zone = zone.flatMap(WearerZone.init)
        var participant = ""
        var drawn = ""
        for (index, segment) in message.segments.enumerated() {
            switch segment.name {
            case "PID": participant = segment.text(3)
            case "OBR": drawn = segment.text(7)
            case "OBX":
                do throws(Refusal) {
                    guard Name.isValid(participant) else { throw Refusal("PID-3 is no participant's name") }
                    guard let result = try observation(segment, drawn: drawn) else { continue }
                    // One that cannot be stored is handed on too: vigil-ingest looks for emergencies among them.
                    readings[participant, default: []].append(result)
                    if let reason = Self.objection(result) { throw Refusal(reason) }
                } catch {
                    problems.append("segment \(index + 1): \(error.words)")
                }
            default: break
            }
        }
    }

    private struct Refusal: Error {
        let words: String
        init(_ words: String) { self.words = words }
    }

    /// Nil for a result that is not there: ordered, pending, without a value.
    private mutating func observation(_ segment: HL7Message.Segment, drawn: String) throws(Refusal)
        -> Observation?
    {
        let status = segment.text(11)
        if ["I", "O", "N", "X"].contains(status)
            || segment.text(5).isEmpty && segment.text(5, 2).isEmpty
        {
            return nil
        }
        // What was sent before stays until a person takes it out.
        if ["D", "W"].contains(status) {
            throw Refusal("a result is withdrawn, which has to be done by hand")
        }
        guard
            let metric = PublicCodes.metric(code: segment.text(3))
                ?? PublicCodes.metric(code: segment.text(3, 4))
        else {
            throw Refusal("the code of OBX-3 is not known")
        }
        guard let time = [segment.text(14), drawn].first(where: { !$0.isEmpty }) else {
            throw Refusal("neither OBX-14 nor OBR-7 has a time")
        }
        let (moment, offset) = try dateTime(time)
        let unit = segment.text(6)
        return Observation(
            metric: metric, time: moment, content: try content(segment), unit: unit, zone: offset)
    }

    /// The reason for which `vigil-ingest` will not store a result; nil where it will.
    private static func objection(_ result: Observation) -> String? {
        do throws(PayloadError) {
            let parsed = ParsedObservation(result, offsets: .init(element: 0), index: nil, notation: .place("OBX-5"))
            _ = try Normaliser().normalise(parsed, now: .now)
            return nil
        } catch { return "the result cannot be stored: \(error.code.rawValue)" }
    }

    private func content(_ segment: HL7Message.Segment) throws(Refusal) -> Observation.Content {
        switch segment.text(2) {
        case "NM":
            guard let value = Double(decimal: segment.text(5)) else {
                throw Refusal("OBX-5 is no number")
            }
            return .value(value)
        case "SN":
            guard let value = Double(decimal: segment.text(5, 2)), segment.text(5, 3).isEmpty else {
                throw Refusal("OBX-5 is a range or a ratio, and no measurement")
            }
            switch segment.text(5) {
            case "", "=": return .value(value)
            // As a meter's word for what lies beyond its range.
            case "<", "<=": return .text("LO")
            case ">", ">=": return .text("HI")
            default: throw Refusal("OBX-5 is a limit, and no measurement")
            }
        case "ST", "TX", "FT", "IS": return .text(segment.text(5))
        case "CE", "CWE":
            return .text(segment.text(5, 2).isEmpty ? segment.text(5) : segment.text(5, 2))
        default: throw Refusal("OBX-2 is a type that is not taken")
        }
    }

    /// Reads `YYYYMMDDHHMM[SS[.S…]][±ZZZZ]`. Source: HL7 v2.5.1, 2.A.22.
    private mutating func dateTime(_ text: String) throws(Refusal) -> (Timestamp, Int16?) {
        let sign = text.firstIndex { $0 == "+" || $0 == "-" }
        let (clock, offset) = (text[..<(sign ?? text.endIndex)], sign.map { text[$0...] })
        let digits = Array(clock.prefix { $0 != "." })
        guard [12, 14].contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw Refusal("a time is not as exact as a minute, or cannot be read")
        }
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        let seconds = digits.count == 14 ? part(12..<14) : "00"
        let fraction = clock.contains(".") && digits.count == 14 ? String(clock.drop { $0 != "." }) : ""
        let local =
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(seconds)\(fraction)"
        if let offset {
            guard offset.count == 5,
                let time = DateTimeText("\(local)\(offset.prefix(3)):\(offset.suffix(2))")
            else {
                throw Refusal("a time cannot be read")
            }
            return (time.time, time.zone)
        }
        guard let time = DateTimeText(local + "Z")?.time else { throw Refusal("a time cannot be read") }
        switch zone?.reading(atLocal: time.microseconds) {
        case nil: throw Refusal("a time names no zone: give --zone")
        case .never?: throw Refusal("a time is of an hour that the clocks passed over")
        // In a repeated hour the first, as of every first time of a file.
        case .once(let minutes)?, .twice(let minutes, _)?:
            return (Timestamp(microseconds: time.microseconds - Int64(minutes) * 60_000_000), Int16(minutes))
        }
    }
}
