import HTTPClient
import Observability
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

/// Mails of which the server takes some recipients and refuses others.
@Suite("A mail whose recipients are refused in part", .timeLimit(.minutes(4)))
struct RefusedRecipientTests {
    private static func channel(_ server: PythonServer, to recipients: [String]) -> MailChannel {
        MailChannel(
            client: MailClient(server: MailServer(url: "smtp://127.0.0.1:\(server.port)", security: .none)),
            sender: "vigil@example.org", recipients: recipients)
    }

    private static func notification(_ id: String = "n") -> Alerting.Notification {
        Alerting.Notification(
            id: id, notifier: "ward", group: "g", status: "test", time: 0, alerts: [], resolved: [], isReminder: false)
    }

    @Test("reaches the others once, and is tried again only for those who may have it later")
    func greylisted() async throws {
        let server = try await PythonServer(script: MailServerScript.text)
        let channel = Self.channel(server, to: ["a@example.org", "grey@example.org", "gone@example.org"])
        var attempts: [[Int]] = []
        for _ in 1...3 { attempts.append(try await channel.deliver(Self.notification()).map(\.code)) }
        #expect(attempts == [[451, 550], [451, 550], [550]])
        let first = try #require(await server.nextLine())
        let last = try #require(await server.nextLine())
        #expect(first.contains("a@example.org") && !first.contains("RCPT TO:<grey"))
        #expect(last.contains("RCPT TO:<grey@example.org>") && !last.contains("RCPT TO:<a@"))
        // The next notification is everybody's again.
        #expect(try await channel.deliver(Self.notification("m")).map(\.code) == [550])
        let next = try #require(await server.nextLine())
        #expect(next.contains("RCPT TO:<a@") && next.contains("RCPT TO:<grey"))
    }

    @Test("fails where nobody is left, with every reason")
    func nobody() async throws {
        let server = try await PythonServer(script: MailServerScript.text)
        let channel = Self.channel(server, to: ["gone@example.org", "grey@example.org"])
        let error = await #expect(throws: ChannelError.self) { try await channel.deliver(Self.notification()) }
        #expect(error?.refused.map(\.code) == [550, 451])
    }

    @Test("says before the first alarm whom a server without SMTPUTF8 cannot be told")
    func foreign() async throws {
        let (old, modern) = (
            try await PythonServer(script: MailServerScript.text), try await PythonServer(script: MailServerScript.utf8)
        )
        let recipients = ["a@example.org", "müller@example.org"]
        #expect(await Self.channel(old, to: recipients).lastingProblem()?.contains("müller@example.org") == true)
        #expect(await Self.channel(modern, to: recipients).lastingProblem() == nil)
        #expect(await Self.channel(old, to: ["a@example.org"]).lastingProblem() == nil)
    }

    @Test("is a technical matter until everybody is accepted; the refusal is logged once and shown to operators")
    func reported() async throws {
        let server = try await PythonServer(script: MailServerScript.text)
        let rig = try NotifierCourseTests.Rig(channel: Self.channel(server, to: ["a@example.org", "gone@example.org"]))
        try await rig.base.coordinator.publishLeftOver()
        try await rig.run {
            try await rig.base.coordinator.take([rig.base.reading(120)])
            try await eventually("the report") { rig.reports.all == ["web recipient-refused"] }
            try await rig.base.coordinator.take([rig.base.reading(90)])
            try await eventually("the end") { rig.delivered.value == 2 }
        }
        #expect(rig.base.log.values("code", of: "the mail server refuses a recipient") == ["550"])
        #expect(rig.counters.refused.value == 2 && rig.failed.value == 0)
        #expect(rig.inbox.state.snapshot.refused["gone@example.org"]?.code == 550)
    }

    @Test("failures are logged at the first and at each doubling, and so is their end")
    func rate() {
        let state = NotifierState()
        let logged = (1...20).map { _ in state.failed(ChannelError("no"), at: 0) }
        #expect(logged.compactMap(\.self) == [1, 2, 4, 8, 16])
        #expect(state.delivered([], at: 5).recovered == 20 && state.delivered([], at: 6).recovered == 0)
        #expect(state.failed(ChannelError("no"), at: 0) == 1)
    }
}
