import Foundation
import VigilSchema

/// Writes a page as the answer to its request.
///
/// Its vital signs by hand: a decade has some 3,650 days a metric, on which `JSONEncoder` spends two thirds of the whole request. The members
/// come in their names' order, as `JSONEncoder` sorts them.
struct PageWriter {
    private var json = JSONWriter()
    private let encoder: JSONEncoder

    /// `{"result": …}`, and where vital signs are left `"next"`, as the encoder would write it. Throws where a value is no finite number.
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
        name("vitals")
        try page.vitals.forEach(Self.check)
        json.raw("[")
        for (index, vital) in page.vitals.enumerated() {
            if index > 0 { json.raw(",") }
            Self.write(vital, &json)
        }
        json.raw("]")
    }

    private mutating func member(_ name: String, _ value: (some Encodable)?) throws {
        guard let value else { return }
        self.name(name)
        json.bytes += try encoder.encode(value)
    }

    private mutating func name(_ name: String) {
        if json.bytes.last != UInt8(ascii: "{") { json.raw(",") }
        json.string(name)
        json.raw(":")
    }

    private mutating func levels(_ levels: [String: TimelinePage.Vital]) throws {
        name("levels")
        json.raw("{")
        for (level, vital) in levels.sorted(by: { $0.key < $1.key }) {
            name(level)
            try Self.check(vital)
            Self.write(vital, &json)
        }
        json.raw("}")
    }

    private static func check(_ vital: TimelinePage.Vital) throws {
        for numbers in [vital.values, vital.minimums, vital.maximums] where !numbers.allSatisfy(\.isFinite) {
            throw EncodingError.invalidValue(
                vital.metric, .init(codingPath: [], debugDescription: "\(vital.metric) has a value that is no finite number"))
        }
    }

    private static func write(_ vital: TimelinePage.Vital, _ writer: inout JSONWriter) {
        writer.raw("{\"counts\":")
        writer.integers(vital.counts)
        writer.raw(",\"description\":")
        writer.string(vital.description)
        writer.raw(",\"maximums\":")
        writer.numbers(vital.maximums)
        writer.raw(",\"metric\":")
        writer.string(vital.metric)
        writer.raw(",\"minimums\":")
        writer.numbers(vital.minimums)
        writer.raw(",\"times\":")
        writer.times(vital.times)
        writer.raw(",\"units\":")
        writer.string(vital.units)
        writer.raw(",\"values\":")
        writer.numbers(vital.values)
        writer.raw("}")
    }
}
