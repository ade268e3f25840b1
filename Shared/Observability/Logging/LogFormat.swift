import Foundation

/// The way a log line is written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// `2026-11-21T07:39:28.123Z info vigil-timeline batch stored count=20`
    case text
    /// One JSON object a line, with the members `time`, `level`, `service`, `message` and the metadata's.
    case json

    func line(_ entry: LogEntry) -> String {
        switch self {
        case .text: text(entry)
        case .json: json(entry)
        }
    }

    private func text(_ entry: LogEntry) -> String {
        let metadata = entry.metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(quoted($0.value))" }
        return "\(stamp(entry.time)) \(entry.level) \(entry.service) \(entry.message)" + metadata.joined()
    }

    /// Quoted as a JSON string where it would not read as one word, so that no value can forge another line or key.
    private func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty
            && value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && !"\"=\\".unicodeScalars.contains($0) }
        return isPlain ? value : JSONQuoting.string(value)
    }

    private func json(_ entry: LogEntry) -> String {
        var members = [
            ("time", stamp(entry.time)), ("level", entry.level.rawValue), ("service", entry.service), ("message", entry.message),
        ]
        let taken = Set(members.map(\.0))
        members += entry.metadata.sorted { $0.key < $1.key }.map { (taken.contains($0.key) ? "\($0.key)_" : $0.key, $0.value) }
        return "{" + members.map { "\(JSONQuoting.string($0.0)):\(JSONQuoting.string($0.1))" }.joined(separator: ",") + "}"
    }

    private func stamp(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

/// Text as JSON writes it.
package enum JSONQuoting {
    /// The text as a JSON string, quotes included; control characters escaped.
    package static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
