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
        let outcome = try await client.send(message)
        #expect(outcome == MailOutcome(accepted: ["a@example.org", "b@example.org"]))
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

    @Test("a refused recipient silences nobody else, and is told with the server's code and words")
    func refusedRecipient() async throws {
        let server = try await PythonServer(script: MailServerScript.text)
        let client = MailClient(server: MailServer(url: "smtp://127.0.0.1:\(server.port)", security: .none))
        var message = message
        message.recipients = ["gone@example.org", "a@example.org", "grey@example.org"]
        let outcome = try await client.send(message)
        #expect(outcome.accepted == ["a@example.org"])
        #expect(
            outcome.refused == [
                MailRefusal(address: "gone@example.org", code: 550, text: "5.1.1 no such 5.1.1 mailbox"),
                MailRefusal(address: "grey@example.org", code: 451, text: "4.7.1 greylisted"),
            ])
        #expect(outcome.refused.map(\.isTemporary) == [false, true])
        let line = try #require(await server.nextLine())
        #expect(line.contains("RCPT TO:<a@example.org>") && !line.contains("RCPT TO:<gone"))
        // Where everybody is refused nothing is sent, and each is told all the same.
        message.recipients = ["gone@example.org", "grey@example.org"]
        let nobody = try await client.send(message)
        #expect(nobody.accepted.isEmpty && nobody.refused.map(\.code) == [550, 451])
        // The connection is none the worse for it.
        message.recipients = ["grey@example.org"]
        #expect(try await client.send(message).accepted == ["grey@example.org"])
    }

    @Test("an address in UTF-8 reaches a server that offers SMTPUTF8, and is refused by name at one that does not")
    func utf8() async throws {
        var message = message
        message.recipients = ["müller@example.org", "a@example.org"]
        let modern = try await PythonServer(script: MailServerScript.utf8)
        let client = MailClient(server: MailServer(url: "smtp://127.0.0.1:\(modern.port)", security: .none))
        #expect(try await client.send(message).refused.isEmpty)
        let line = try #require(await modern.nextLine())
        #expect(line.contains("RCPT TO:<müller@example.org>") && line.contains("SMTPUTF8"))
        let old = try await PythonServer(script: MailServerScript.text)
        let other = MailClient(server: MailServer(url: "smtp://127.0.0.1:\(old.port)", security: .none))
        let outcome = try await other.send(message)
        #expect(outcome.accepted == ["a@example.org"])
        #expect(outcome.refused.map(\.address) == ["müller@example.org"] && outcome.refused.map(\.code) == [553])
        let rest = try #require(await old.nextLine())
        #expect(!rest.contains("müller") && !rest.contains("SMTPUTF8"))
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

@Suite("Mail addresses")
struct MailAddressTests {
    @Test(
        "are bare, and each mistake has its name",
        arguments: [
            ("a@example.org", nil), ("müller@example.org", nil), ("a@müller.de", nil), ("first.last+tag@h", nil), ("", .empty),
            ("<a@b>", .brackets), ("Anna <a@b>", .name), ("a", .at), ("a@", .at), ("@b", .at), ("a@b@c", .at), ("a b@c", .character),
            ("a@b\r\nDATA", .character), ("a,b@c", .character), ("a\u{A0}b@c", .character), ("a\u{85}@c", .character),
            (String(repeating: "x", count: 65) + "@c", .length), ("a@" + String(repeating: "x", count: 253), .length),
        ] as [(String, MailAddress.Problem.Code?)])
    func addresses(text: String, problem: MailAddress.Problem.Code?) {
        do throws(MailAddress.Problem) {
            let address = try MailAddress(text)
            #expect(problem == nil && address.text == text && address.needsUTF8 == text.contains("ü"))
        } catch {
            #expect(error.code == problem)
        }
    }
}
