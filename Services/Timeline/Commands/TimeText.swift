import Foundation
package import ServiceKit
package import VigilSchema

/// Moments as people type them.
package enum TimeText {
    /// For a setting: Unix seconds, a date, a date with a time, or so long before now.
    package static let format = ValueFormat<MomentText>(
        accepts: "Unix seconds, 2017-01-19, 2017-01-19T15:36:22Z, or a time before now such as -10s, -5m, -3h, -7d",
        placeholder: "TIME", read: { read($0) }, write: { _ in "" })

    private static func read(_ text: String) -> MomentText? {
        if let seconds = Double(text), abs(seconds) < 2.5e11 { return .at(Timestamp(seconds: seconds)) }
        if text.hasPrefix("-"), let ago = ago(text.dropFirst()) { return .ago(ago) }
        if let date = try? Date(text, strategy: .iso8601) { return .at(Timestamp(seconds: date.timeIntervalSince1970)) }
        if let day = try? Date(text, strategy: Date.ISO8601FormatStyle().year().month().day()) {
            return .at(Timestamp(seconds: day.timeIntervalSince1970))
        }
        return nil
    }

    private static func ago(_ text: Substring) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Double(text.dropLast()), count >= 0 else { return nil }
        return count * unit
    }
}

/// A moment that may depend on when the command runs.
package enum MomentText: Sendable, Hashable {
    case at(Timestamp)
    /// Seconds before now.
    case ago(Double)

    package func moment(now: Timestamp) -> Timestamp {
        switch self {
        case .at(let time): time
        case .ago(let seconds): now.advanced(bySeconds: -seconds)
        }
    }
}
