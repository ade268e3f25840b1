import Access
import AlertRules
import Foundation
import SuiteHarness
import TestSupport
import Testing
import VigilSchema

/// Every account, every operation, the own and a foreign participant: what is allowed and refused equals the table of roles.
@Suite("Rights on the bus", .serialized, .timeLimit(.minutes(4)))
struct RightsTests {
    private static let people = ["device", "subscriber", "patient", "carer", "analyst"]

    @Test("an account is answered or refused as deploy/roles.json5 says, whatever it asks for and about whomever")
    func matrix() async throws {
        let broker = try await GuardedBroker.start(accounts: Self.people.map { ["anna-\($0)", "--participant", "anna", "--role", $0] })
        let folder = try TemporaryFolder()
        let own = [
            "vigil-timeline": ["--store", "sqlite:\(folder.path("t.sqlite"))"],
            "vigil-dashboard": ["--dashboard-port", "\(try LoopbackPort.free())"],
        ]
        let services = try RoleTable.services.map { "vigil-\($0)" }.map { name in
            try SuiteService(
                name, settings: broker.settings(ofService: name) + (own[name] ?? []), brokerPort: broker.server.port, folder: folder)
        }
        for service in services { try await service.start() }
        let table = try RoleTable(parsing: String(contentsOfFile: broker.rights[3], encoding: .utf8))
        var wrong: [String] = []
        var (allowed, refused) = (0, 0)
        for role in Self.people + ["import", "modules", "dashboard", "operator"] {
            let isPerson = Self.people.contains(role)
            let asker = try await Asker(broker, account: isPerson ? "anna-\(role)" : role, isOutside: isPerson)
            let rights = try #require(table.roles[role])
            for service in RoleTable.services {
                for operation in (table.roles["operator"]?.operations[service] ?? []).sorted() {
                    for participant in ["anna", "ben"] {
                        let isOwn =
                            rights.scope == .all || participant == "anna"
                            || ["rules", "reload", "notify-test", "notifiers"].contains(operation)
                        let expected = rights.operations[service]?.contains(operation) == true && isOwn
                        let isRefused = try await asker.isRefused(service, operation, participant)
                        if isRefused { refused += 1 } else { allowed += 1 }
                        if isRefused == expected { wrong.append("\(role) \(service) \(operation) \(participant): refused \(isRefused)") }
                    }
                }
            }
        }
        #expect(wrong == [])
        print("\(allowed) requests were carried out, \(refused) refused, as the table says")
        for service in services { try await service.stop() }
    }

    @Test("a carer eases a threshold with a reason and so far only, an operator further, and nobody beyond what a reading can pass")
    func thresholds() async throws {
        let broker = try await GuardedBroker.start(accounts: [["anna-carer", "--participant", "anna", "--role", "carer"]])
        let folder = try TemporaryFolder()
        let alert = try SuiteService(
            "vigil-alert", settings: broker.settings(ofService: "vigil-alert"), brokerPort: broker.server.port, folder: folder)
        try await alert.start()
        let carer = try await Asker(broker, account: "anna-carer", isOutside: true)
        let `operator` = try await Asker(broker, account: "operator", isOutside: false)
        func set(_ asker: Asker, _ severity: String, _ members: String, of participant: String = "anna") async throws -> String {
            let words = #""command":"set-threshold","participant":"\#(participant)","rule":"heart-rate-high","severity":"\#(severity)""#
            return try await asker.answer("alert", "{\(words),\(members)}")
        }
        let reason = #""reason":"trained""#
        for (members, words) in [
            (#""value":1000000000"# + "," + reason, "your role"), (#""value":200"# + "," + reason, "above 187.5"),
            (#""value":200,"easeAtMost":1"# + "," + reason, "above 187.5"), (#""value":-5"# + "," + reason, "believable"),
            (#""value":160"#, "reason"), (#""value":160,"reason":"  ""#, "reason"), (#""value":"160""# + "," + reason, "value"),
        ] {
            let answer = try await set(carer, "critical", members)
            #expect(answer.contains(#""ok":false"#) && answer.contains(words), "\(members): \(answer)")
        }
        #expect(try await set(carer, "critical", #""value":160"# + "," + reason, of: "ben").contains("may not ask about ben"))
        #expect(try await set(carer, "critical", #""value":160"# + "," + reason).contains(#""ok":true"#))
        for members in [#""value":1000000000"# + "," + reason, #""value":300"# + "," + reason, #""value":250"#] {
            #expect(try await set(`operator`, "critical", members).contains(#""ok":false"#), "\(members)")
        }
        #expect(try await set(`operator`, "critical", #""value":250"# + "," + reason).contains(#""ok":true"#))
        try await alert.stop()
    }

    @Test("an account asks in no other name, reads no other's answers and receipts, and is answered nowhere else")
    func otherNames() async throws {
        let broker = try await GuardedBroker.start(accounts: [
            ["anna-carer", "--participant", "anna", "--role", "carer"], ["ben-carer", "--participant", "ben", "--role", "carer"],
            ["anna-watch", "--participant", "anna"], ["w1", "--participant", "anna"], ["w10", "--participant", "anna"],
        ])
        let carer = try await broker.client("anna-carer")
        for topic in [
            "vigil/v1/requests/ben-carer/timeline", "vigil/v1/requests/operator/timeline",
            "vigil/v1/responses/anna-carer/1", "vigil/v1/receipts/anna/anna-watch", "vigil/v1/ingest/anna/anna-watch",
            "vigil/v1/observations/00/readings", "vigil/v1/observations/00/derived", "vigil/v1/audit/anna-carer", "vigil/v1/audit/alert",
            "vigil/v1/messages/anna/weight",
            "vigil/v1/modules/vigil-ingest/set", "vigil/v1/modules/vigil-alert/main/status", "vigil/v1/latest/anna/heart-rate",
            "vigil/v1/requests/anna-carer/timeline/x", "vigil/v1/requests//timeline", "vigil/v1/requests/anna-carer",
        ] {
            #expect(try await isTaken(carer, topic) == false, "\(topic)")
        }
        #expect(try await isTaken(carer, "vigil/v1/requests/anna-carer/timeline"))
        let device = try await broker.client("anna-watch")
        #expect(try await isTaken(device, "vigil/v1/ingest/anna/anna-watch"))
        for topic in [
            "vigil/v1/ingest/anna/w1", "vigil/v1/ingest/ben/anna-watch", "vigil/v1/receipts/ben/x", "vigil/v1/receipts/anna/anna-watch",
        ] {
            #expect(try await isTaken(device, topic) == false, "\(topic)")
        }
        // A subscription to more is granted by Mosquitto, and brings nothing that may not be read.
        try await device.subscribe("vigil/v1/receipts/#", "vigil/v1/rejects/#", "vigil/v1/responses/#", "vigil/v1/alerts/#")
        let services = try await broker.client("operator", atServicePort: true)
        for topic in ["receipts/anna/w1", "receipts/ben/x", "receipts/anna/anna-watch", "receipts/anna/anna-watch/1"] {
            #expect(try await isTaken(services, "vigil/v1/" + topic))
        }
        try await eventually("the own receipts") { device.messages.count >= 2 }
        #expect(Set(device.messages.map(\.topic)) == ["vigil/v1/receipts/anna/anna-watch", "vigil/v1/receipts/anna/anna-watch/1"])
        try await services.subscribe("vigil/v1/rejects/#")
        #expect(try await isTaken(broker.client("ingest", atServicePort: true), "vigil/v1/rejects/ben/x"))
        try await eventually("a reject at the operator's tool") { services.messages.contains { $0.topic == "vigil/v1/rejects/ben/x" } }
    }

    @Test(
        "accounts of devices do not come in at the services' port, nor services from outside; a service's session survives a broker restart there"
    )
    func ports() async throws {
        let broker = try await GuardedBroker.start(accounts: [["anna-watch", "--participant", "anna"]])
        await #expect(throws: NeverHappened.self) { _ = try await broker.client("anna-watch", atServicePort: true) }
        await #expect(throws: NeverHappened.self) { _ = try await broker.client("timeline") }
        let session: (inout MQTTPacket.Connection) -> Void = { connection in
            (connection.user, connection.password) = ("timeline", GuardedBroker.password)
            (connection.cleanStart, connection.properties) = (false, [.sessionExpiry(3600)])
        }
        let reader = try await HostileClient.connected(port: broker.server.port, clientID: "t", session)
        try await reader.subscribe("vigil/v1/history/+")
        reader.send(.disconnect())
        try await eventually("the end") { !reader.isOpen }
        try await broker.server.stop()
        try await broker.server.start()
        let writer = try await broker.client("import", atServicePort: true)
        #expect(try await isTaken(writer, "vigil/v1/history/00"))
        let again = try await HostileClient.connected(port: broker.server.port, clientID: "t", session)
        try await eventually("what waited") { again.messages.map(\.topic) == ["vigil/v1/history/00"] }
    }

    /// Publishes and tells whether the broker took it: 0x87 says not authorized.
    private func isTaken(_ client: HostileClient, _ topic: String) async throws -> Bool {
        let identifier = client.publish(topic, "{}")
        try await client.acknowledged([identifier])
        let answer = client.packets(.publishAcknowledgement).last {
            $0.body.starts(with: [UInt8(identifier >> 8), UInt8(identifier & 0xFF)])
        }
        return (answer?.reason ?? 0) < 0x80
    }
}

/// An account that asks the services, and waits for each answer.
private struct Asker {
    private let client: HostileClient
    private let account: String

    init(_ broker: GuardedBroker, account: String, isOutside: Bool) async throws {
        self.account = account
        client = try await broker.client(account, atServicePort: !isOutside)
        try await client.subscribe("vigil/v1/responses/\(account)/#")
    }

    /// Asks, and tells whether the answer is that this account may not; an answer that something else is wrong with the request is none.
    func isRefused(_ service: String, _ operation: String, _ participant: String) async throws -> Bool {
        let name = service == "timeline" ? "query" : "command"
        return try await answer(
            service, #"{"\#(name)":"\#(operation)","participant":"\#(participant)","reason":"x","duration":"1h","id":"none"}"#
        ).contains("may not ask")
    }

    /// Asks, and returns the answer.
    func answer(_ service: String, _ request: String) async throws -> String {
        let mark = Array("\(client.messages.count)-\(UInt32.random(in: 0...UInt32.max))".utf8)
        client.publish(
            "vigil/v1/requests/\(account)/\(service)", request,
            properties: [.responseTopic("vigil/v1/responses/\(account)/1"), .correlation(mark)])
        try await eventually(within: .seconds(30), "an answer to \(account) for \(request)") {
            client.messages.contains { $0.correlation == mark }
        }
        return client.messages.last { $0.correlation == mark }?.text ?? ""
    }
}
