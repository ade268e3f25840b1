import Foundation
import HTTPClient
import TestSupport
import Testing

@Suite("Mail client", .timeLimit(.minutes(4)))
struct MailClientTests {
    private let message = MailMessage(
        sender: "vigil@example.org", recipients: ["a@example.org", "b@example.org"], subject: "Herzfrequenz zu hoch: пульс",
        text: "first\n.second\nдлинный", id: "1@example.org", date: "Sat, 21 Nov 2026 07:39:18 +0000")

    @Test("hands a message to the server with all recipients, dots kept and the subject encoded")
    func send() async throws {
        let server = try await PythonServer(script: MailServerScript.text)
        let client = MailClient(server: MailServer(url: "smtp://127.0.0.1:\(server.port)", security: .none))
        try await client.send(message)
        let line = try #require(await server.nextLine())
        #expect(line.contains("a@example.org") && line.contains("b@example.org"))
        #expect(line.contains("..second") && line.contains("длинный"))
        #expect(line.contains("=?utf-8?Q?Herzfrequenz_zu_hoch=3A_"))
    }

    @Test("gives up a server that never answers to the end of a mail, in its time")
    func stalled() async throws {
        let server = try await PythonServer(script: ReceiverScript.stalling)
        let client = MailClient(server: MailServer(url: "smtp://127.0.0.1:\(server.port)", security: .none))
        // Three, because libcurl by itself would wait two minutes for the answer to each QUIT: longer than the suite's limit.
        for _ in 0..<3 {
            let error = await #expect(throws: TransferError.self) { try await client.send(message, timeout: .seconds(1)) }
            #expect(error?.code == .timedOut)
        }
    }

    @Test("refuses to send unencrypted where encryption is required")
    func encryption() async throws {
        let server = try await PythonServer(script: MailServerScript.text)
        let client = MailClient(server: MailServer(url: "smtp://127.0.0.1:\(server.port)"))
        let error = await #expect(throws: TransferError.self) { try await client.send(message) }
        #expect(error?.code == .insecure)
    }

    @Test("refuses addresses that would smuggle in another command", arguments: ["a", "a@b\r\nDATA", "a b@c", "<a@b>", ""])
    func addresses(address: String) async {
        var message = message
        message.recipients = [address]
        let client = MailClient(server: MailServer(url: "smtp://127.0.0.1:1", security: .none))
        let error = await #expect(throws: TransferError.self) { try await client.send(message) }
        #expect(error?.code == .other)
    }
}
