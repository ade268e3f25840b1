import Access
import Foundation
import Observability
import VigilSchema

/// Answering an alarm with the link in a message, without signing in.
///
/// To look at a link does nothing, so that programs that follow links answer nobody. An answer is a command of `vigil-alert` like that of
/// somebody who is signed in: by the notifier whose receivers have the link, in the audit, once.
enum AnswerOperations {
    private struct Form: Decodable {
        let token: String
        var answer: String?
    }

    private struct Command: Encodable {
        let command: String
        let id: String
        let severity: String
        /// When the holder of the link was told.
        let seen: Double
        var reason: String?
        var until: Double?
    }

    /// The alarm that a link is about, as whoever holds it sees it.
    private struct View: Encodable {
        let participant: String
        let title: [String: String]
        let severity: String
        let since: Double
        let zone: Int?
        /// `open`, `answered`, `over` or `used`.
        let state: String
        let actor: String?
    }

    static let all = [look, answer]

    private static let look = APIOperation(
        open: "POST", "/answer/look", "What a link in a message is about. It changes nothing.",
        body: [.init("token", "The part of the link behind #.")]
    ) { request, dashboard in
        let form = try APICall.body(of: request, as: Form.self)
        let link = try link(form.token, dashboard)
        let isUsed = try await dashboard.accounts.isUsed(answer: form.token)
        return APICall.json(view(of: link, alert(of: link, dashboard), isUsed: isUsed))
    }

    private static let answer = APIOperation(
        open: "POST", "/answer", "Answers an alarm with the link in a message, once.",
        body: [
            .init("token", "The part of the link behind #."),
            .init("answer", "acknowledge, going (acknowledges and says that somebody is on the way) or silence (for an hour)."),
        ]
    ) { request, dashboard in
        let form = try APICall.body(of: request, as: Form.self)
        let link = try link(form.token, dashboard)
        let command = try command(form.answer ?? "", link, dashboard)
        guard alert(of: link, dashboard) != nil else { throw Self.over }
        guard dashboard.attempts.mayAnswer(form.token) else { throw APIError.busy }
        let (actor, now) = ("\(link.notifier) (link)", dashboard.now())
        let line = AuditRecord(
            time: now, actor: actor, action: "answer-\(form.answer ?? "")", participant: link.participant, detail: link.rule,
            address: request.peer)
        guard try await dashboard.accounts.use(answer: form.token, until: link.expires, now: now, noting: line) else { throw Self.used }
        do {
            let bus = dashboard.bus.acting(for: actor, from: request.peer)
            _ = try AlertOperations.confirmed(try await bus.alert(command, participant: link.participant, rule: link.rule))
        } catch  where (error as? APIError)?.code != "not-confirmed" {
            // It was not done: the link is good for another attempt. Without a confirmation nobody knows.
            try await dashboard.accounts.release(answer: form.token)
            dashboard.attempts.noteRefusal(of: form.token, until: link.expires, now: dashboard.now())
            throw error
        }
        return APICall.done
    }

    private static let over = APIError(status: 409, code: "over", reason: "the alarm is over, or another one has begun since")
    private static let used = APIError(status: 409, code: "used", reason: "this link was used already")

    /// - Throws: `APIError` where the dashboard has no key, or the link is none, or its time is over.
    private static func link(_ token: String, _ dashboard: RouteContext) throws -> AnswerLink {
        guard let key = dashboard.answerKey else { throw APIError.notFound }
        do throws(AnswerLinkError) {
            return try AnswerLink(token: token, key: key, now: dashboard.now())
        } catch {
            switch error {
            case .invalid: throw APIError(status: 403, code: "invalid", reason: "this link was not made here, or is not complete")
            case .expired: throw APIError(status: 410, code: "expired", reason: "the link's time is over")
            }
        }
    }

    /// The alarm, as long as it is the one that the link names.
    private static func alert(of link: AnswerLink, _ dashboard: RouteContext) -> AlertMessage? {
        dashboard.hub.alerts { $0 == link.participant }.map(\.alert)
            .first { $0.rule == link.rule && $0.state == "active" && abs($0.since - link.since) < 0.001 }
    }

    private static func view(of link: AnswerLink, _ alert: AlertMessage?, isUsed: Bool) -> View {
        let state = isUsed ? "used" : alert == nil ? "over" : alert?.acknowledged == true ? "answered" : "open"
        return View(
            participant: link.participant, title: alert?.title ?? ["en": link.rule], severity: alert?.severity ?? link.severity,
            since: link.since, zone: alert?.zone, state: state, actor: alert?.acknowledged == true ? alert?.actor : nil)
    }

    private static func command(_ answer: String, _ link: AnswerLink, _ dashboard: RouteContext) throws -> Command {
        let (id, now) = (ULID.make(at: Timestamp(seconds: dashboard.now())), dashboard.now())
        switch answer {
        case "acknowledge": return Command(command: "acknowledge", id: id, severity: link.severity, seen: link.told)
        case "going": return Command(command: "acknowledge", id: id, severity: link.severity, seen: link.told, reason: "on the way")
        case "silence":
            return Command(
                command: "silence", id: id, severity: link.severity, seen: link.told, reason: "answered from a message", until: now + 3600)
        default: throw APIError.malformed("answer must be acknowledge, going or silence")
        }
    }
}
