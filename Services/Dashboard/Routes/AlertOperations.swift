import Foundation
import Observability
import ServiceKit
import Settings
import VigilSchema

/// Alerts: what stands, why, and what carers do about it. The actor of a command is always the session's account.
enum AlertOperations {
    /// A command or question as `vigil-alert` takes it. Its actor is whoever is signed in.
    private struct Command: Encodable {
        let command: String
        /// Unique, so that a command that the broker delivers twice is carried out once.
        let id: String
        var reason: String?
        var until: Double?
        var severity: String?
        var value: Double?
    }

    private struct Form: Decodable {
        var reason: String?
        var minutes: Double?
        var severity: String?
        var value: Double?
    }

    private struct Answer: Decodable {
        let ok: Bool
        let error: String?
    }

    static let all =
        [list, why, history, rules]
        + [
            command(
                "acknowledge", "Says that somebody has seen the alert.", .answerAlerts,
                [.init("severity", "As it was seen: where it has become worse since, the answer is refused.")]),
            command(
                "silence", "Lets nobody be told for a while.", .answerAlerts,
                [
                    .init("minutes", .number, "1 to 1440."), .init("reason", "Why; required."),
                    .init("severity", "What is hidden at most; the alert's own where it is missing."),
                ]),
            command("unsilence", "Ends a silence.", .answerAlerts),
            command(
                "clear", "Ends an alert that latches.", .answerAlerts,
                [.init("severity", "As it was seen: where it has become worse since, the answer is refused.")]),
            command(
                "set-threshold", "Sets the person's own threshold of a rule; without a value takes it back.", .setThresholds,
                [.init("severity", "notice, warning or critical."), .init("value", .number, "The threshold.")]),
        ]
        + [stress]

    private static let list = APIOperation(
        "GET", "/alerts", "The alerts that stand, of everybody whom the account may see.", for: .permitted(.seeHealth), isLive: true
    ) { call in
        try await call.auditProgram("alerts")
        let isOpen = !call.account.seesPseudonyms
        let items = call.dashboard.hub.alerts(where: call.account.sees).map { participant, alert in
            let name = ViewerMailbox.quoted(call.dashboard.pseudonyms.name(participant, for: call.account))
            return "{\"p\":\(name),\"alert\":\(LiveMessages.alert(alert, withTexts: isOpen))}"
        }
        return .json(Array("[\(items.joined(separator: ","))]".utf8))
    }

    private static let why = question("why", "Why an alert stands, or does not, in lines of text.")
    private static let history = question("history", "What happened to an alert, newest last.")

    private static let rules = APIOperation("GET", "/rules", "The rules that alerts are raised by.", for: .signedIn) { call in
        let command = Command(command: "rules", id: id(call))
        return .json(try await confirmed(call.bus.alert(command, participant: "all", rule: "all")))
    }

    private static let stress = APIOperation(
        "POST", "/participants/{participant}/stress", "Calibrates the stress analysis; for operators also sets its mode or bounds.",
        for: .permitted(.calibrate),
        body: [
            .init("command", "calibrate, cancel, forget, mode or bounds."), .init("seconds", .number, "Of a calibration, 60 to 1800."),
            .init("mode", "base, built, enhanced or default."), .init("bounds", .object, "Lists of two numbers by metric."),
        ]
    ) { call in
        struct Form: Codable {
            let command: String
            var seconds: Double?
            var mode: String?
            var bounds: [String: [Double]]?
        }
        let form = try call.body(Form.self)
        // As in deploy/roles.json5: what a carer may undo is a calibration, not what was learnt of somebody.
        guard ["calibrate", "cancel"].contains(form.command) || call.account.permissions.contains(.operate) else { throw APIError.notFound }
        try await call.audit("stress-\(form.command.prefix(20))")
        return .json(try await call.bus.stress(form, participant: call.participant))
    }

    private static func command(
        _ name: String, _ summary: String, _ permission: Permission, _ members: [APIOperation.Parameter] = []
    ) -> APIOperation {
        APIOperation(
            "POST", "/participants/{participant}/alerts/{rule}/\(name)", summary, for: .permitted(permission), body: members
        ) { call in
            let rule = try call.path("rule")
            guard Name.isValid(rule) else { throw APIError.notFound }
            let form = call.request.body.isEmpty ? Form() : try call.body(Form.self)
            var command = Command(command: name, id: id(call), reason: form.reason)
            if name == "silence" {
                guard let minutes = form.minutes, (1...1440).contains(minutes) else {
                    throw APIError.malformed("minutes must be 1 to 1440")
                }
                guard let reason = form.reason, !reason.allSatisfy(\.isWhitespace) else {
                    throw APIError.malformed("a silence needs a reason")
                }
                command.until = call.dashboard.now() + minutes * 60
            }
            command.severity = form.severity
            command.value = form.value
            try await call.audit(name, [rule, form.reason].compactMap { $0 }.joined(separator: ": "))
            return .json(try await confirmed(call.bus.alert(command, participant: call.participant, rule: rule)))
        }
    }

    private static func question(_ name: String, _ summary: String) -> APIOperation {
        APIOperation(
            "GET", "/participants/{participant}/alerts/{rule}/\(name)", summary, for: .permitted(.seeIdentity)
        ) { call in
            let rule = try call.path("rule")
            guard Name.isValid(rule) else { throw APIError.notFound }
            try await call.audit("alert-\(name)", rule)
            let command = Command(command: name, id: id(call))
            return .json(try await confirmed(call.bus.alert(command, participant: call.participant, rule: rule)))
        }
    }

    private static func id(_ call: APICall) -> String { ULID.make(at: Timestamp(seconds: call.dashboard.now())) }

    /// The answer, unless it says that the command was refused.
    static func confirmed(_ answer: [UInt8]) throws -> [UInt8] {
        guard let read = try? JSONDecoder().decode(Answer.self, from: Data(answer)) else {
            throw APIError(status: 502, code: "failed", reason: "the answer of vigil-alert cannot be read")
        }
        guard read.ok else { throw APIError(status: 409, code: "refused", reason: read.error ?? "vigil-alert refused") }
        return answer
    }
}
