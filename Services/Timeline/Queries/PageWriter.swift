import Foundation
import VigilSchema

/// Writes a page as the answer to its request.
///
/// Vital signs are written by hand: a decade has some 3,650 days per metric, for which `JSONEncoder` needs two thirds
/// of the request's time. Members are in the order of their names, as `JSONEncoder` sorts them.
struct PageWriter {
    private var json = JSONWriter()
    private let encoder: JSONEncoder

    /// `{"result": …}`, with `"next"` if vital signs are left. Throws if a value is not finite.
    static func response(_ answer: PageAnswer, _ encoder: JSONEncoder) throws -> [UInt8] {
        var writer = PageWriter(encoder: encoder)
        writer.json.raw("{\"result\":{")
        try writer.write(answer.page)
        writer.json.raw("}")
        if let told = answer.told { writer.json.bytes += Array(",\"next\":\"\(told)\"".utf8) }
        writer.json.raw("}")
        return writer.json.bytes
    }

    private init(encoder: JSONEncoder) { self.encoder = encoder }

    private mutating func write(_ page: TimelinePage) throws {
        try member("alerts", page.alerts)
        try member("allergies", page.allergies)
        try member("conditions", page.conditions)
        try member("cut", page.cut)
        try member("encounters", page.encounters)
        try member("end_date", page.endDate)
        try member("immunizations", page.immunizations)
        try levels(page.levels)
        try member("notes", page.notes)
        try member("participant", page.participant)
        try member("procedures", page.procedures)
        try member("regimens", page.regimens)
        try member("results", page.results)
        try member("start_date", page.startDate)
        try member("texts", page.texts)
        try member("timeline_medications", page.medications)
        try page.vitals.forEach(Self.check)
        json.member("vitals")
        json.raw("[")
        for (index, vital) in page.vitals.enumerated() {
            if index > 0 { json.raw(",") }
            write(vital)
        }
        json.raw("]")
    }

    private mutating func member(_ name: String, _ value: (some Encodable)?) throws {
        guard let value else { return }
        json.member(name)
        json.bytes += try encoder.encode(value)
    }

    private mutating func levels(_ levels: [String: TimelinePage.Vital]) throws {
        json.member("levels")
        json.raw("{")
        for (level, vital) in levels.sorted(by: { $0.key < $1.key }) {
            try Self.check(vital)
            json.member(level)
            write(vital)
        }
        json.raw("}")
    }

    private static func check(_ vital: TimelinePage.Vital) throws {
        for numbers in [vital.values, vital.minimums, vital.maximums] where !numbers.allSatisfy(\.isFinite) {
            throw EncodingError.invalidValue(
                vital.metric, .init(codingPath: [], debugDescription: "\(vital.metric) has a value that is no finite number"))
        }
    }

    private mutating func write(_ vital: TimelinePage.Vital) {
        json.raw("{")
        json.member("counts")
        json.integers(vital.counts)
        json.member("description", vital.description)
        numbers("maximums", vital.maximums)
        json.member("metric", vital.metric)
        numbers("minimums", vital.minimums)
        json.member("times")
        json.times(vital.times)
        json.member("units", vital.units)
        numbers("values", vital.values)
        json.raw("}")
    }

    private mutating func numbers(_ name: String, _ values: [Double]) {
        json.member(name)
        json.numbers(values)
    }
}
