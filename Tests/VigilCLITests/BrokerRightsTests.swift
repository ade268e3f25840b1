import Access
import Cryptography
import Foundation
import TestSupport
import Testing

@testable import VigilCLI

/// The rights of every account at the real Mosquitto and the real NATS, which come from one access list.
@Suite("Rights at either broker", .timeLimit(.minutes(6)))
struct BrokerRightsTests {
    private static let password = "correct-horse"
    /// May everything, and looks on.
    private static let witness = "witness"
    private static let outside = [
        BrokerAccount(name: "anna-watch", role: .device, participants: ["anna"], device: "anna-watch"),
        BrokerAccount(name: "b.watch", role: .device, participants: ["ben.b"], device: "b.watch"),
        BrokerAccount(name: "carl", role: .carer, participants: ["anna", "ben.b"], device: "carl"),
        BrokerAccount(name: "wall", role: .subscriber, participants: ["anna"], device: "wall"),
        BrokerAccount(name: "anna", role: .patient, participants: ["anna"], device: "anna"),
        BrokerAccount(name: "eve", role: .analyst, participants: ["anna"], device: "eve"),
        BrokerAccount(name: "gateway", role: .bridge, participants: [], device: "gateway", topics: ["home/#", "tele/+/SENSOR"]),
    ]
    /// A topic of each kind, for two participants, and some that nobody is meant to use.
    private static let topics =
        [
            "ingest/anna/anna-watch", "ingest/anna/other", "ingest/ben.b/b.watch", "observations/1f/readings", "observations/1f/waveforms",
            "observations/1f/derived", "observations/16/3/1f/readings", "observations/16/3/1f/waveforms", "observations/16/3/1f/derived",
            "observations/1f/other", "history/1f", "history/16/3/1f", "latest/anna/heart-rate", "latest/ben.b/heart-rate",
            "alerts/anna/heart-rate-high", "alerts/ben.b/fever", "alert-events/anna/heart-rate-high", "alert-events/ben.b/fever",
            "receipts/anna/anna-watch", "receipts/anna/anna-watch/1", "receipts/ben.b/b.watch", "rejects/anna/anna-watch",
            "rejects/ben.b/b.watch", "messages/anna/weight", "requests/carl/alert", "requests/carl/timeline", "requests/dashboard/timeline",
            "requests/carl/alert/more", "responses/carl", "responses/carl/1", "responses/dashboard/1", "audit/ingest", "audit/timeline",
            "modules/vigil-ingest/main/status",
            "modules/vigil-alert/main/status", "modules/vigil-timeline/a/status", "modules/vigil-alert/get", "modules/vigil-alert/exchange",
            "other", "",
        ].map { "vigil/v1/" + $0 } + ["vigil/v2/ingest/anna/anna-watch", "home/bath/scale", "home", "tele/bath/SENSOR", "tele/bath/STATE"]

    @Test(
        "every account may read and write the same topics at Mosquitto and at NATS", .enabled(if: NATSServer.Program.recent.path != nil))
    func sameDecisions() async throws {
        let folder = try TemporaryFolder("vigil-rights")
        let files = try makeAccounts(in: folder)
        let lines = try (AccountList.services + [Self.witness]).map { try BrokerPassword.line($0, Self.password, isGenerated: true) }
        let known = try String(contentsOfFile: folder.path("passwords"), encoding: .utf8)
        try folder.write(known + lines.joined(separator: "\n") + "\n", to: "everybody")
        let mosquitto = try await MosquittoServer.start(access: .files(passwords: folder.path("everybody"), accessList: folder.path("acl")))
        let configuration = try String(contentsOfFile: "\(files.folder)/nats.conf", encoding: .utf8)
        let nats = try await NATSServer.start(.recent, accounts: configuration)

        let atMosquitto = try await decisions(port: mosquitto.port)
        let atNATS = try await decisions(port: nats[0].mqttPort)
        #expect(atNATS.subtracting(atMosquitto).sorted() == [], "NATS lets in what Mosquitto does not")
        #expect(atMosquitto.subtracting(atNATS).sorted() == [], "NATS keeps out what Mosquitto lets in")
        #expect(atNATS.count > 150, "\(atNATS.count) decisions are too few to compare")
        for allowed in [
            "anna-watch writes vigil/v1/ingest/anna/anna-watch", "b.watch writes vigil/v1/ingest/ben.b/b.watch",
            "b.watch reads vigil/v1/receipts/ben.b/b.watch", "carl reads vigil/v1/alerts/ben.b/fever",
            "carl writes vigil/v1/requests/carl/alert",
            "gateway writes home/bath/scale", "ingest reads home/bath/scale", "timeline reads vigil/v1/observations/16/3/1f/readings",
        ] { #expect(atNATS.contains(allowed), "\(allowed)") }
        for refused in [
            "anna-watch writes vigil/v1/ingest/anna/other", "carl reads vigil/v1/responses/dashboard/1",
            "eve reads vigil/v1/alerts/anna/heart-rate-high",
        ] {
            #expect(!atNATS.contains(refused), "\(refused)")
        }
    }

    @Test(
        "NATS lets in neither a wrong password nor an account that is gone, nor one that has none",
        .enabled(if: NATSServer.Program.recent.path != nil))
    func passwords() async throws {
        let folder = try TemporaryFolder("vigil-rights")
        let files = try makeAccounts(in: folder)
        #expect(try files.remove("carl"))
        // As one with a certificate in place of a password.
        try folder.write(
            try String(contentsOfFile: folder.path("acl"), encoding: .utf8) + "user scale\ntopic write vigil/v1/ingest/anna/scale\n",
            to: "acl")
        try files.renewNATS()
        let server = try await NATSServer.start(.recent, accounts: try String(contentsOfFile: folder.path("nats.conf"), encoding: .utf8))
        for (name, password) in [("wall", Self.password + "."), ("wall", ""), ("carl", Self.password), ("scale", ""), ("", "")] {
            let client = try HostileClient(port: server[0].mqttPort, version: 4)
            let answer = try await client.connect { ($0.user, $0.password) = (name, password) }
            #expect(answer != 0, "\(name) came in with \(password)")
        }
        let client = try HostileClient(port: server[0].mqttPort, version: 4)
        #expect(try await client.connect { ($0.user, $0.password) = ("wall", Self.password) } == 0)
        #expect(!(try String(contentsOfFile: folder.path("nats.conf"), encoding: .utf8)).contains(Self.password))
    }

    @Test("a filter's subjects cover its topics as Mosquitto understands them")
    func subjects() {
        #expect(TopicRight(line: "topic read a/+/c/#")?.subjects == ["a.*.c.>", "a.*.c"])
        #expect(TopicRight(line: "topic write a/b.c")?.subjects == ["a.b//c"])
        #expect(TopicRight(line: "pattern read r/%u/#", of: "x")?.subjects == ["r.x.>", "r.x"])
        #expect(TopicRight(line: "topic read $SYS/#") == nil)
        #expect(TopicRight(line: "topic readwrite #")?.subjects == [">"])
        #expect(TopicRight(line: "topic read /a//b")?.subjects == ["/.a./.b"])
    }

    /// The shipped access list with accounts of each role, for both brokers.
    private func makeAccounts(in folder: TemporaryFolder) throws -> AccountFiles {
        let shipped = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/mosquitto/acl")
        try folder.write(
            try String(contentsOf: shipped, encoding: .utf8) + "\nuser \(Self.witness)\ntopic readwrite #\n", to: "acl")
        try folder.write("", to: "passwords")
        let files = AccountFiles(folder: folder.url.path)
        try FileManager.default.createDirectory(atPath: folder.path("broker"), withIntermediateDirectories: true)
        for service in AccountList.services { try folder.write(Self.password + "\n", to: "broker/\(service)") }
        try files.makeNATS(servicePasswords: folder.path("broker"))
        for account in Self.outside { try files.add(account, password: Self.password, isGenerated: true) }
        try files.renewNATS(Self.witness, hash: try BcryptPassword.hash(Self.password, isGenerated: true))
        return files
    }

    /// Everything that an account may do, such as `carl reads vigil/v1/alerts/anna/fever`, as the broker on that port decides.
    private func decisions(port: UInt16) async throws -> Set<String> {
        let witness = try await client(Self.witness, port)
        try await witness.subscribe("#", options: 0)
        var decisions: Set<String> = []
        for account in AccountList.services + Self.outside.map(\.name) {
            let client = try await client(account, port)
            for topic in Self.topics + ["vigil/v1/responses/\(account)/end"] where !topic.isEmpty {
                try await client.subscribe(topic, options: 0)
            }
            // What comes last each may read, and write: what has not come before it does not come.
            for topic in Self.topics + ["vigil/v1/responses/\(account)/end"] { witness.publish(topic, "read", qos: 0) }
            try await eventually("the last message to \(account)") { client.messages.contains { $0.topic.hasSuffix("\(account)/end") } }
            decisions.formUnion(client.messages.filter { !$0.topic.hasSuffix("/end") }.map { "\(account) reads \($0.topic)" })
            for topic in Self.topics + ["vigil/v1/requests/\(account)/end"] { client.publish(topic, account, qos: 0) }
            try await eventually("the last message of \(account)") {
                witness.messages.contains { $0.topic.hasSuffix("requests/\(account)/end") }
            }
        }
        let written = witness.messages.filter { $0.text != "read" && !$0.topic.hasSuffix("/end") }
        return decisions.union(written.map { "\($0.text) writes \($0.topic)" })
    }

    private func client(_ account: String, _ port: UInt16) async throws -> HostileClient {
        try await HostileClient.connected(port: port, clientID: "rights-\(account)", version: 4) {
            ($0.user, $0.password) = (account, Self.password)
        }
    }
}
