import Foundation
import Testing
import VigilSchema

@testable import SensorIngest

/// A mapping of the topic `t`, named m, and the lines that `vigil map test` prints of a message: readings, and refusals after `no`.
enum MappingSample {
    /// - Parameter body: The members of the mapping beside its name, topics, participant and device.
    static func lines(
        _ body: String, _ payload: String, people: String = #"participant: "a", device: "b""#, topics: String = #"["t"]"#,
        topic: String = "t",
        received: Double = 1_700_000_000
    ) throws -> [String] {
        let set = try MappingFile.parse("{mappings: [{name: \"m\", topics: \(topics), \(people), \(body)}]}")
        return lines(MappedMessage(Array(payload.utf8), topic: topic, by: set, received: Timestamp(seconds: received)))
    }

    static func lines(_ message: MappedMessage) -> [String] { message.accepted + message.refused.map { "no " + $0 } }

    /// The beginning of a moment's day on this machine's clock, in seconds.
    static func midnight(_ seconds: Double = 1_700_000_000) -> Double {
        Calendar(identifier: .gregorian).startOfDay(for: Date(timeIntervalSince1970: seconds)).timeIntervalSince1970
    }
}
