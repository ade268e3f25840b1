import Foundation
package import Signals

/// A command to one person's stress analysis, published on `requests/<account>/stress` as JSON, with `"participant"`:
/// `{"command": "calibrate"}`, `{"command": "mode", "mode": "base"}`, `{"command": "bounds", "bounds": {"heart-rate": [55, 120]}}`.
package struct StressCommand: Hashable, Sendable {
    /// The operation that a command requests.
    package enum Action: Hashable, Sendable {
        /// Begin guided quiet minutes; of that many seconds, or of the service's usual length.
        case calibrate(seconds: Double?)
        /// Give a guided calibration up.
        case cancelCalibration
        /// Forget the baseline; the next rest is calibrated on by itself.
        case forget
        /// Compute stress that way; nil for the service's default.
        case mode(StressMode?)
        /// Scale readings between these bounds in the base and built modes; nil to derive them from the baseline.
        case bounds(StressBounds?)
        /// Forget the person: profile, baseline, and what is in memory.
        case erase
        /// Give a part of everything that is kept of the person.
        case export(part: Int)
    }

    /// The requested operation.
    package let action: Action

    /// A command.
    package init(action: Action) { self.action = action }

    /// The participant that a command names, also if the rest of it is wrong; `all` if it names none.
    static func participant(in payload: [UInt8]) -> String {
        struct Subject: Decodable { var participant: String }
        guard payload.count <= longest, let subject = try? JSONDecoder().decode(Subject.self, from: Data(payload)) else { return "all" }
        return subject.participant
    }

    /// The longest payload, in bytes.
    private static let longest = 65_536

    /// Reads a command. Throws `CommandProblem`, which says in words what is wrong.
    package init(decoding payload: [UInt8]) throws {
        guard payload.count <= Self.longest else { throw CommandProblem("it is longer than 65536 bytes") }
        let form: Form
        do { form = try JSONDecoder().decode(Form.self, from: Data(payload)) } catch {
            throw CommandProblem("it is no JSON object with a command, and numbers where numbers belong")
        }
        action = try Self.action(form)
    }

    private struct Form: Decodable {
        var command: String
        var seconds: Double?
        var mode: String?
        var bounds: [String: [Double]]?
        var part: Int?
    }

    private static func action(_ form: Form) throws(CommandProblem) -> Action {
        switch form.command {
        case "calibrate":
            if let seconds = form.seconds, !(60...1800).contains(seconds) { throw CommandProblem("seconds must be 60 to 1800") }
            return .calibrate(seconds: form.seconds)
        case "cancel": return .cancelCalibration
        case "forget": return .forget
        case "mode": return .mode(try mode(form.mode))
        case "bounds": return .bounds(try form.bounds.map(bounds))
        case "erase": return .erase
        case "export": return .export(part: form.part ?? 0)
        default: throw CommandProblem("command must be calibrate, cancel, forget, mode, bounds, export or erase")
        }
    }

    private static func mode(_ name: String?) throws(CommandProblem) -> StressMode? {
        guard let name, name != "default" else { return nil }
        guard let mode = StressMode(rawValue: name) else { throw CommandProblem("mode must be base, built, enhanced or default") }
        return mode
    }

    private static func bounds(_ given: [String: [Double]]) throws(CommandProblem) -> StressBounds {
        var bounds = StressBounds()
        for (metric, pair) in given {
            guard pair.count == 2, pair[0] < pair[1] else { throw CommandProblem("\(metric) needs two numbers, the lower first") }
            switch metric {
            case "heart-rate": bounds.heartRate = pair[0]...pair[1]
            case "skin-conductance": bounds.skinConductance = pair[0]...pair[1]
            case "respiration-rate": bounds.breathingRate = pair[0]...pair[1]
            case "skin-temperature": bounds.temperature = pair[0]...pair[1]
            default: throw CommandProblem("bounds are for heart-rate, skin-conductance, respiration-rate and skin-temperature")
            }
        }
        return bounds
    }
}

/// The reason why a command was not taken.
package struct CommandProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The answer to a command that carries a response topic.
package struct StressReply: Codable, Hashable, Sendable {
    /// The participant that the command named.
    package var participant: String
    /// True when the command was accepted.
    package var ok: Bool
    /// The reason for the refusal.
    package var error: String?
    /// The mode from now on.
    package var mode: String?
    /// True when the participant has a baseline.
    package var calibrated: Bool?
    /// True while guided quiet minutes are running.
    package var calibrating: Bool?

    /// As JSON.
    package func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return Array(try encoder.encode(self))
    }
}
