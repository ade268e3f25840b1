import Foundation

/// A setting of the pages: what JSON has without objects.
enum Preference: Codable, Sendable, Hashable {
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([String])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .flag(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([String].self) {
            self = .list(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        }
    }

    static func read(_ text: String) -> [String: Preference] {
        (try? JSONDecoder().decode([String: Preference].self, from: Data(text.utf8))) ?? [:]
    }

    static func write(_ all: [String: Preference]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(all), as: UTF8.self)
    }
}
