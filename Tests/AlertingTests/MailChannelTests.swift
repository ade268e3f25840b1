import HTTPClient
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

/// A mail that is sent again after a failure carries the same name and time, so that a reader's program can tell that it is the same.
@Suite("A notification as a mail", .timeLimit(.minutes(4)))
struct MailChannelTests {
    private static func mail(id: String, from sender: String) async throws -> String {
        let server = try await PythonServer(script: MailServerScript.text)
        let client = MailClient(server: MailServer(url: "smtp://127.0.0.1:\(server.port)", security: .none))
        let channel = MailChannel(client: client, sender: sender, recipients: ["a@example.org"])
        // 2026-01-05 22:30 UTC, a Monday.
        let notification = Alerting.Notification(
            id: id, notifier: "ward", group: "g", status: "test", time: 1_767_652_200, alerts: [], resolved: [], isReminder: false)
        try await channel.send(notification)
        return try #require(await server.nextLine())
    }

    @Test(
        "is named by the notification at the sender's host, without what a mail's name cannot hold",
        arguments: [("ward-12.3", "vigil@example.org", "ward-12.3@example.org"), ("a b/é:<1>", "vigil@h.net", "a.b....1.@h.net")])
    func name(id: String, sender: String, name: String) async throws {
        let mail = try await Self.mail(id: id, from: sender)
        #expect(mail.contains("Message-ID: <\(name)>"), "\(mail)")
    }

    @Test("is urgent in mail programs while an alarm of high priority fires, and otherwise not")
    func urgency() async throws {
        let server = try await PythonServer(script: MailServerScript.text)
        let client = MailClient(server: MailServer(url: "smtp://127.0.0.1:\(server.port)", security: .none))
        let channel = MailChannel(client: client, sender: "v@example.org", recipients: ["a@example.org"])
        for (status, severity, isUrgent) in [("firing", "critical", true), ("firing", "warning", false), ("resolved", "critical", false)] {
            try await channel.send(ServiceChannelTests.notification(status, severity: severity))
            let mail = try #require(await server.nextLine())
            for header in ["X-Priority: 1 (Highest)", "Importance: high", "Priority: urgent"] { #expect(mail.contains(header) == isUrgent) }
        }
    }

    @Test("is of the time at which it was decided, not of that at which it left")
    func time() async throws {
        let mail = try await Self.mail(id: "n", from: "vigil@example.org")
        #expect(mail.contains("Date: Mon, 05 Jan 2026 22:30:00 +0000"), "\(mail)")
    }
}
