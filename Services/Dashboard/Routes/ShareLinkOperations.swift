import Foundation
import Observability
import QRCode
import VigilSchema

/// Links by which somebody without an account sees a person's chosen metrics of a day or a week: made, listed, revoked, and opened.
///
/// The secret stands behind `#`, so that no server's log has it; opening changes nothing, and each is in the audit.
enum ShareLinkOperations {
    static let all = [list, make, end, look]

    /// The steps of a chart.
    private static let width = 300

    private struct Item: Encodable {
        let id: String
        let account: String
        let metrics: [String]
        let from: Double
        let to: Double
        let expires: Double
    }

    private static let list = APIOperation(
        "GET", "/participants/{participant}/share-links", "The person's share links that hold, without their secrets.",
        for: .permitted(.enter)
    ) { call in
        let links = try await call.dashboard.accounts.shareLinks(of: call.participant, now: call.dashboard.now())
        return APICall.json(
            links.map {
                Item(
                    id: $0.id, account: $0.account, metrics: $0.metrics, from: $0.range.lowerBound, to: $0.range.upperBound,
                    expires: $0.expires)
            })
    }

    private static let make = APIOperation(
        "POST", "/participants/{participant}/share-links",
        "Makes a link that shows chosen metrics of up to a week to whoever has it; the answer holds its secret, shown only now.",
        for: .permitted(.enter),
        body: [
            .init("metrics", .array, "1 to \(ShareLink.mostMetrics) metrics with numbers."), .init("from", .number, "Unix seconds."),
            .init("to", .number, "Unix seconds, a week later at the most."), .init("hours", .number, "Until it ends: 1 to 720."),
            .init("password", "The present password."),
        ]
    ) { call in
        struct Form: Decodable {
            let metrics: [String]
            let from: Double
            let to: Double
            let hours: Double
        }
        let form = try call.body(Form.self)
        let now = call.dashboard.now()
        let metrics = form.metrics.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        guard (1...ShareLink.mostMetrics).contains(metrics.count), metrics.allSatisfy(hasNumbers) else {
            throw APIError.malformed("metrics has 1 to \(ShareLink.mostMetrics) names of metrics with numbers")
        }
        guard form.from >= 0, form.from < form.to, form.to < 1e11, form.to - form.from <= ShareLink.longestRange else {
            throw APIError.malformed("a link shows a week at the most")
        }
        guard (1...ShareLink.longestLife).contains(form.hours) else { throw APIError.malformed("hours is 1 to 720") }
        try await call.checkPassword()
        let link = ShareLink(
            id: "", account: call.account.name, participant: call.participant, metrics: metrics, range: form.from...form.to,
            expires: now + form.hours * 3600)
        let secret = try await call.dashboard.accounts.makeShareLink(
            link, now: now, noting: [line(call, "make-share-link", metrics.joined(separator: " "))])
        return APICall.json(try made(secret, call))
    }

    private static let end = APIOperation(
        "DELETE", "/participants/{participant}/share-links/{id}", "Revokes a share link; who has it sees nothing from now on.",
        for: .permitted(.enter)
    ) { call in
        try await call.dashboard.accounts.endShareLink(
            id: try call.path("id"), of: call.participant, noting: [line(call, "end-share-link", "")])
        return APICall.done
    }

    private static let look = APIOperation(
        open: "POST", "/shared", "What a share link shows: the courses of its metrics, until it ends. It changes nothing.",
        body: [.init("token", "The part of the link behind #.")]
    ) { request, dashboard in
        struct Form: Decodable { let token: String }
        let token = try APICall.body(of: request, as: Form.self).token
        guard token.utf8.count <= 200 else { throw invalid }
        let found = try await dashboard.signIn.tryOut(token, address: request.peer) {
            try await dashboard.accounts.shareLink(secret: token)
        }
        guard let link = found else { throw invalid }
        guard link.expires > dashboard.now() else { throw APIError(status: 410, code: "expired", reason: "the link's time is over") }
        // One link's readers have a share of their own, as accounts have.
        let share = "#" + link.id
        try dashboard.shares.enter(share)
        defer { dashboard.shares.leave(share) }
        let actor = "\(link.account) (share link)"
        try await dashboard.accounts.audit(
            AuditRecord(
                time: dashboard.now(), actor: actor, action: "see-share-link", participant: link.participant,
                detail: link.metrics.joined(separator: " "), address: request.peer))
        return APICall.json(try await view(of: link, dashboard.bus.acting(for: actor, from: request.peer)))
    }

    private static let invalid = APIError(status: 403, code: "invalid", reason: "this link was not made here, or was revoked")

    private static func hasNumbers(_ metric: String) -> Bool {
        guard let kind = MetricCatalogue.standard.definition(named: metric)?.kind else { return false }
        return kind != .waveform && kind != .text
    }

    private static func line(_ call: APICall, _ action: String, _ detail: String) -> AuditRecord {
        AuditRecord(
            time: call.dashboard.now(), actor: call.account.name, action: action, participant: call.participant, detail: detail,
            address: call.request.peer)
    }

    private struct Made: Encodable {
        /// The address below this server.
        let path: String
        /// The whole address as a QR code: rows of 0 and 1.
        let code: [String]
    }

    /// - Parameter secret: the new link's.
    private static func made(_ secret: String, _ call: APICall) throws -> Made {
        let path = "/shared.html#" + secret
        // Checked: a change comes from our own pages only.
        let host = (call.request.headers["host"] ?? "").kept(200)
        let isSecure = call.dashboard.cookie.isSecure || call.request.headers["origin"]?.hasPrefix("https:") == true
        let rows = QRCode("\(isSecure ? "https" : "http")://\(host)\(path)")?.rows ?? []
        return Made(path: path, code: rows.map { String($0.map { $0 ? "1" : "0" }) })
    }

    // MARK: What is seen

    private struct View: Encodable {
        let name: String
        let zone: String?
        let from: Double
        let to: Double
        let expires: Double
        let metrics: [Course]
    }

    private struct Course: Encodable {
        let metric: String
        let title: String
        let unit: String
        /// Time, smallest, mean and largest of each step.
        let steps: [[Double]]
    }

    private static func view(of link: ShareLink, _ bus: SuiteClient) async throws -> View {
        let profile = try await bus.timeline(.profile(participant: link.participant), as: ParticipantProfile.self)
        let range = TimelineQuery.Range(
            from: Timestamp(seconds: link.range.lowerBound), to: Timestamp(seconds: link.range.upperBound))
        var courses: [Course] = []
        for metric in link.metrics {
            let series = TimelineQuery.Series(participant: link.participant, metric: metric, range: range)
            let steps = try await bus.timeline(.series(series, width: width), as: [SeriesBucket].self)
            let known = MetricCatalogue.standard.definition(named: metric)
            courses.append(
                Course(
                    metric: metric, title: known?.title ?? metric, unit: known?.unit ?? "1",
                    steps: steps.map { [$0.time.seconds, $0.min, $0.mean, $0.max] }))
        }
        return View(
            name: profile.pseudonym ?? profile.first ?? "", zone: profile.timeZone, from: link.range.lowerBound, to: link.range.upperBound,
            expires: link.expires, metrics: courses)
    }
}
