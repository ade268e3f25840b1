import Foundation

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
