import Foundation
import MessageBus
import TestSupport
import Testing

@testable import VigilCLI

@Suite("Accounts at the broker", .timeLimit(.minutes(4)))
struct AccountTests {
    @Test("keeps every other line of an access list as it was")
    func accessList() {
        let text = "# services\nuser ingest\ntopic read a/#\n\nuser anna-watch\ntopic write b\n"
        var list = AccessList(text)
        #expect(list.text == text)
        list.set("ben-watch", rights: ["topic write c"])
        list.remove("anna-watch")
        #expect(list.text == "# services\nuser ingest\ntopic read a/#\n\nuser ben-watch\ntopic write c\n")
        #expect(list.users.map(\.name) == ["ingest", "ben-watch"])
    }

    @Test("lets a device publish for its own participant and nobody else, and a revoked one not at all")
    func device() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "passwords")
        try folder.write("user nobody\n", to: "acl")
        let files = AccountFiles(folder: folder.url.path)
        try files.add(BrokerAccount(name: "w1", role: .device, participants: ["anna"], device: "w1"), password: "geheim")
        #expect(try !String(contentsOfFile: folder.path("passwords"), encoding: .utf8).contains("geheim"))

        let settings =
            "password_file \(folder.path("passwords"))\nacl_file \(folder.path("acl"))\nallow_anonymous false\nper_listener_settings false"
        let broker = try await MosquittoServer.start(
            extra: settings, access: .tls(try await TestCertificates(), clientCertificate: false))
        #expect(try await publishes(broker, "vigil/v1/ingest/anna/w1", password: "geheim"))
        #expect(try await !publishes(broker, "vigil/v1/ingest/ben/w1", password: "geheim"))
        #expect(try await !publishes(broker, "vigil/v1/ingest/anna/w1", password: "falsch"))
        try files.add(BrokerAccount(name: "w10", role: .device, participants: ["anna"], device: "w10"), password: "geheim")
        #expect(try files.remove("w1"))
        #expect(try !files.remove("w1"))
        // Whose name begins with the revoked one stays, with all that it has.
        #expect(try files.list().count { $0.hasPrefix("w10  device of anna") } == 1)
        #expect(try String(contentsOfFile: folder.path("passwords"), encoding: .utf8).hasPrefix("w10:"))
        #expect(try String(contentsOfFile: folder.path("acl"), encoding: .utf8).contains("user w10\n"))
        #expect(try String(contentsOfFile: folder.path("roles/accounts.json"), encoding: .utf8).contains("\"w10\""))
    }

    @Test("lets a bridge publish on its own topics alone, and ingest read them")
    func bridge() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "passwords")
        try folder.write("user ingest\ntopic readwrite vigil/v1/ingest/#\n", to: "acl")
        let files = AccountFiles(folder: folder.url.path)
        let bridge = BrokerAccount(name: "w1", role: .bridge, participants: [], device: "w1", topics: ["home/#", "tele/+/SENSOR"])
        try files.add(bridge, password: "geheim")
        try files.add(bridge, password: "geheim")
        let list = AccessList(try String(contentsOfFile: folder.path("acl"), encoding: .utf8))
        #expect(
            list.users.filter { $0.name == "ingest" }.flatMap(\.rights) == [
                "topic readwrite vigil/v1/ingest/#", "topic read home/#", "topic read tele/+/SENSOR",
            ])
        let settings =
            "password_file \(folder.path("passwords"))\nacl_file \(folder.path("acl"))\nallow_anonymous false\nper_listener_settings false"
        let broker = try await MosquittoServer.start(
            extra: settings, access: .tls(try await TestCertificates(), clientCertificate: false))
        #expect(try await publishes(broker, "home/gw/BTtoMQTT/A4", password: "geheim"))
        #expect(try await publishes(broker, "tele/bath/SENSOR", password: "geheim"))
        #expect(try await !publishes(broker, "vigil/v1/ingest/anna/w1", password: "geheim"))
        #expect(try await !publishes(broker, "tele/bath/STATE", password: "geheim"))
    }

    @Test(
        "let no bridge publish where the suite speaks", arguments: ["vigil/v1/ingest/#", "#", "+/x", "$SYS/x", "", "a/#/b", "a b", "a/b+"])
    func bridgeTopics(topic: String) {
        #expect(BrokerAccount.objection(toBridgeTopic: topic) != nil)
        #expect(BrokerAccount.objection(toBridgeTopic: "home/+/BTtoMQTT/#") == nil)
    }

    /// Returns whether the broker takes a message on the topic from the account.
    private func publishes(_ broker: MosquittoServer, _ topic: String, password: String) async throws -> Bool {
        var configuration = broker.configuration(clientID: "test-\(UUID().uuidString)")
        configuration.username = "w1"
        configuration.password = Secret(password)
        let publisher = Publisher(configuration: PublisherConfiguration(broker: configuration))
        return try await withThrowingTaskGroup(of: Bool?.self) { tasks in
            tasks.addTask {
                do {
                    try await publisher.run()
                } catch {
                    return false
                }
                return nil
            }
            tasks.addTask {
                defer { publisher.drain() }
                do {
                    try await publisher.publish(OutgoingMessage(topic: topic, payload: [1]))
                    return true
                } catch {
                    return false
                }
            }
            var answers: [Bool] = []
            while let answer = try await tasks.next() { if let answer { answers.append(answer) } }
            return !answers.isEmpty && answers.allSatisfy { $0 }
        }
    }
}
