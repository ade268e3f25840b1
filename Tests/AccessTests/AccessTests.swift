import Access
import AlertRules
import Foundation
import MessageBus
import Observability
import StressAnalysis
import Synchronization
import TestSupport
import Testing
import VigilSchema

@Suite("Rights by role")
struct AccessTests {
    private static let table: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return root.appending(path: "deploy/roles.json5").path
    }()
    private let folder: TemporaryFolder
    private let control: AccessControl
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        var list = AccountList()
        for role in ["device", "subscriber", "patient", "carer", "analyst"] {
            list.set(.init(name: "anna-\(role)", role: role, participants: ["anna"]))
        }
        file = folder.path(AccountList.fileName)
        try list.encoded().write(to: URL(filePath: file))
        control = try AccessControl(roles: Self.table, accounts: file)
    }

    private func isAllowed(_ account: String, _ service: String, _ operation: String, _ participant: String?, silence: Double? = nil)
        -> Bool
    {
        (try? control.check(.init(account: account, service: service, operation: operation, participant: participant, silence: silence)))
            != nil
    }

    @Test("the shipped table names operations that exist, and gives every one of them to the operator")
    func completeness() throws {
        let table = try RoleTable(parsing: String(contentsOfFile: Self.table, encoding: .utf8))
        let known = [
            "timeline": Set(TimelineQuery.Name.allCases.map(\.rawValue)), "alert": Set(CommandMessage.changing + CommandMessage.asking),
            "stress": ["calibrate", "cancel", "forget", "mode", "bounds", "export", "erase"], "ingest": ["export", "erase"],
            "modules": ["export", "erase"], "dashboard": ["export", "erase"],
            "import": [
                "begin", "append", "survey", "try", "start", "jobs", "rejects", "undo", "discard", "sources", "ask", "export", "erase",
            ],
        ]
        #expect(table.roles["operator"]?.operations == known)
        for (role, rights) in table.roles {
            for (service, operations) in rights.operations { #expect(operations.isSubset(of: known[service] ?? []), "\(role)") }
        }
    }

    @Test("a carer reads, answers alerts and enters notes, for the own participants only")
    func carer() {
        #expect(isAllowed("anna-carer", "timeline", "page", "anna") && isAllowed("anna-carer", "alert", "acknowledge", "anna"))
        #expect(!isAllowed("anna-carer", "timeline", "page", "ben") && !isAllowed("anna-carer", "alert", "acknowledge", "ben"))
        #expect(!isAllowed("anna-carer", "timeline", "page", nil) && !isAllowed("anna-carer", "timeline", "participants", nil))
        for (service, operation) in [
            ("timeline", "erase"), ("timeline", "undo-import"), ("alert", "reload"), ("stress", "forget"), ("moon", "page"),
        ] {
            #expect(!isAllowed("anna-carer", service, operation, "anna"), "\(operation)")
        }
    }

    @Test("a carer's silence ends within a day, an operator's when it likes")
    func silence() {
        #expect(isAllowed("anna-carer", "alert", "silence", "anna", silence: 86_400))
        #expect(!isAllowed("anna-carer", "alert", "silence", "anna", silence: 86_401))
        #expect(isAllowed("operator", "alert", "silence", "anna", silence: 1e9))
    }

    @Test(
        "vigil-import erases nobody and reads no reading, strangers and services do nothing",
        arguments: ["page", "latest", "erase", "participants"])
    func strangers(_ operation: String) {
        for account in ["import", "nobody", "", "ingest", "timeline", "monitor", "anna-device", "anna-subscriber"] {
            #expect(!isAllowed(account, "timeline", operation, "anna"), "\(account)")
        }
        #expect(isAllowed("operator", "timeline", operation, "anna"))
    }

    @Test("a new account is known, and a removed one forgotten, without a restart")
    func changes() async throws {
        #expect(!isAllowed("ben-carer", "timeline", "page", "ben"))
        var list = try AccountList(decoding: Data(contentsOf: URL(filePath: file)))
        list.set(.init(name: "ben-carer", role: "carer", participants: ["ben"]))
        list.remove("anna-carer")
        try list.encoded().write(to: URL(filePath: file))
        try await eventually("the new account") { isAllowed("ben-carer", "timeline", "page", "ben") }
        #expect(!isAllowed("anna-carer", "timeline", "page", "anna"))
        // What cannot be read leaves the former in force.
        try Data("{".utf8).write(to: URL(filePath: file))
        try await Task.sleep(for: .milliseconds(1_100))
        #expect(isAllowed("ben-carer", "timeline", "page", "ben"))
    }

    @Test("a list that another file takes the place of is read again, though both were last changed at one time")
    func sameTime() async throws {
        let list = try String(contentsOfFile: file, encoding: .utf8)
        let control = try AccessControl(roles: Self.table, accounts: file)
        let request = AccessControl.Request(account: "eve-carer", service: "timeline", operation: "page", participant: "anna")
        let time = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
        try folder.write(list.replacing("anna-carer", with: "eve-carer"), to: "next.json")
        try FileManager.default.setAttributes([.modificationDate: try #require(time)], ofItemAtPath: folder.path("next.json"))
        #expect(rename(folder.path("next.json"), file) == 0)
        try await eventually("the new account") { (try? control.check(request)) != nil }
    }

    @Test("a new list is found behind a link that leads to another folder, as Kubernetes mounts it")
    func links() async throws {
        let list = try String(contentsOfFile: file, encoding: .utf8)
        for (part, text) in [("one", list), ("two", list.replacing("anna-carer", with: "eve-carer"))] {
            try FileManager.default.createDirectory(atPath: folder.path(part), withIntermediateDirectories: true)
            try folder.write(text, to: "\(part)/accounts.json")
        }
        let manager = FileManager.default, mounted = folder.path("mounted.json"), data = folder.path("data")
        try manager.createSymbolicLink(atPath: data, withDestinationPath: "one")
        try manager.createSymbolicLink(atPath: mounted, withDestinationPath: "data/accounts.json")
        let control = try AccessControl(roles: Self.table, accounts: mounted)
        let request = AccessControl.Request(account: "eve-carer", service: "timeline", operation: "page", participant: "anna")
        #expect((try? control.check(request)) == nil)
        try manager.removeItem(atPath: data)
        try manager.createSymbolicLink(atPath: data, withDestinationPath: "two")
        try await eventually("the new account") { (try? control.check(request)) != nil }
    }

    @Test(
        "a wrong table is refused with the place",
        arguments: [
            ("{roles: {carer: {participants: 'som'}}}", "cannot be \"som\""), ("{roles: {carer: {}}}", "\"participants\" is missing"),
            ("{roles: {carer: {participants: 'own', time: []}}}", "\"time\" is not known here"),
            ("{roles: {carer: {participants: 'own', silence: 'long'}}}", "duration"),
            ("{roles: {carer: {participants: 'own', threshold: 2}}}", "between 0 and 1"), ("{}", "\"roles\" is missing"),
            ("{", "roles.json5"),
        ])
    func wrongTables(_ text: String, _ words: String) {
        let error = #expect(throws: AccessError.self) { try RoleTable(parsing: text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("without a list of accounts everybody may ask for everything")
    func open() throws {
        #expect((try? AccessControl.open.check(.init(account: "x", service: "timeline", operation: "erase", participant: "anna"))) != nil)
    }

    private func asked(_ account: String, _ service: String, _ fields: String) -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/requests/\(account)/\(service)", payload: Array(fields.utf8), retained: false, qos: .atLeastOnce,
            properties: MessageProperties(responseTopic: "vigil/v1/responses/\(account)/1"), packetID: 1)
    }

    private func requestGuard(_ service: String) -> RequestGuard {
        RequestGuard(service: service, control: control, log: Logger(service: "test", level: .error) { _ in })
    }

    @Test(
        "a topic whose account is no name is refused, rather than taken for one of the former topics, which ask for less",
        arguments: ["", "anna carer", "+", "#", "anna-carer\u{0}", "operator/", "../operator", "ärztin"])
    func oddAccounts(_ account: String) {
        for service in ["timeline", "alert", "stress", "ingest"] {
            let request = #"{"query":"latest","command":"acknowledge","participant":"ben"}"#
            let checked = requestGuard(service).check([asked(account, service, request)])
            #expect(checked.refusals.isEmpty, "an answer below others' names")
            #expect(checked.messages.isEmpty && checked.audit.map(\.outcome) == ["refused"], "\(service)")
        }
    }

    @Test("nobody but the dashboard signs with another's name, and the audit trail tells who it was and from where")
    func signatures() throws {
        let forged = #"{"command":"acknowledge","participant":"anna","rule":"r","actor":"Dr. House","address":"192.0.2.1","reason":"x"}"#
        let carer = requestGuard("alert").check([asked("anna-carer", "alert", forged)])
        let sent = String(decoding: try #require(carer.messages.first).payload, as: UTF8.self)
        #expect(sent.contains(#""actor":"anna-carer""#) && !sent.contains("House") && !sent.contains("192.0.2.1"))
        let line = try #require(carer.audit.first)
        #expect(line.actor == "anna-carer" && line.address == nil && line.operation == "alert-acknowledge" && line.participant == "anna")
        #expect(line.detail == "r" && line.outcome == "taken")
        let dashboard = requestGuard("alert").check([asked("dashboard", "alert", forged)])
        #expect(dashboard.audit.first?.actor == "Dr. House" && dashboard.audit.first?.address == "192.0.2.1")
        // An operator adds lines to the trail in its own name only.
        let lines = #"{"query":"add-audit","audit":[{"time":1,"actor":"somebody","operation":"x","outcome":"ok"}]}"#
        let added = requestGuard("timeline").check([asked("operator", "timeline", lines)])
        #expect(String(decoding: try #require(added.messages.first).payload, as: UTF8.self).contains(#""actor":"operator""#))
    }

    @Test(
        "how far a threshold may be eased comes from the role, never from the sender",
        arguments: ["anna-carer", "operator", "dashboard"])
    func thresholds(_ account: String) throws {
        let words = #"{"command":"set-threshold","participant":"anna","rule":"r","value":1,"reason":"x","easeAtMost":1e9,"actor":"a"}"#
        let handed = try #require(requestGuard("alert").check([asked(account, "alert", words)]).messages.first)
        let command = try JSONDecoder().decode(CommandMessage.self, from: Data(handed.payload))
        #expect(command.easeAtMost == (account == "operator" ? nil : 0.25))
    }

    @Test("the order to erase tells the audit trail no name, and refusals are told sixty a minute at most, the others counted")
    func trail() {
        let order = requestGuard("alert").check([asked("operator", "alert", #"{"command":"erase","participant":"anna"}"#)])
        #expect(order.audit.map(\.operation) == ["alert-erase"] && order.audit.allSatisfy { $0.participant == nil && $0.detail == nil })
        let requests = requestGuard("timeline")
        let refused = (0..<500).map { _ in asked("anna-carer", "timeline", #"{"query":"erase","participant":"anna"}"#) }
        let checked = requests.check(refused)
        #expect(checked.messages.isEmpty && checked.refusals.count == 500 && checked.audit.count == 60)
    }

    @Test("what is asked with two members of one name is handed on as it was checked")
    func twice() throws {
        let twice = #"{"query":"latest","participant":"ben","participant":"anna","participant":"ben","query":"latest"}"#
        let checked = requestGuard("timeline").check([asked("anna-carer", "timeline", twice)])
        for message in checked.messages {
            let payload = String(decoding: message.payload, as: UTF8.self)
            #expect(payload.contains(#""participant":"anna""#) && !payload.contains("ben"))
        }
    }

    @Test("what is kept of a person comes in parts that make one whole, or tell by their digest that they do not")
    func parts() throws {
        let things = (0..<9000).map {
            ["number": $0, "text": "some remark of a length that fills a page", "none": NSNull()] as [String: Any]
        }
        var data = try PersonalData("remarks", things)
        try data.add("nothing", [])
        data.merge(try PersonalData("a kind", [["x": 1]]))
        #expect(data.names == ["a kind", "remarks"])
        let text = data.json
        var (whole, digests): ([UInt8], Set<String?>) = ([], [])
        let count = try #require(PersonalDataPart(of: text, part: 0, service: "s", instance: "i").parts)
        #expect(count > 1)
        for number in 0..<count {
            let sent = try PersonalDataPart(of: text, part: number, service: "s", instance: "i").encoded()
            #expect(sent.count < 1 << 20)
            let part = try JSONDecoder().decode(PersonalDataPart.self, from: Data(sent))
            whole += part.data ?? Data()
            digests.insert(part.digest)
        }
        #expect(whole == text && digests.count == 1)
        #expect(!digests.contains(PersonalDataPart(of: text + [0x20], part: 0, service: "s", instance: "i").digest))
        let outside = [-1, count, Int.max].map { PersonalDataPart(of: text, part: $0, service: "s", instance: "i") }
        #expect(outside.allSatisfy { !$0.ok && $0.data == nil && $0.error != nil })
        let read = try #require(try JSONSerialization.jsonObject(with: Data(whole)) as? [String: [[String: Any]]])
        #expect(read["remarks"]?.count == 9000 && read["nothing"] == nil && PersonalData().json == Array("{\n}\n".utf8))
    }

    @Test("an answer goes below the account that asked, and nowhere else")
    func answers() {
        #expect((try? ReplyTopic("vigil/v1/responses/anna-carer/1", of: .named("anna-carer"))) != nil)
        for topic in ["vigil/v1/responses/ben-carer/1", "vigil/v1/responses/anna-carer2/1", "vigil/v1/receipts/anna/d", "x"] {
            #expect((try? ReplyTopic(topic, of: .named("anna-carer"))) == nil, "\(topic)")
        }
        #expect(Topic.requester(of: "vigil/v1/requests/anna-carer/timeline", service: "timeline") == "anna-carer")
        #expect(Topic.requester(of: "vigil/v1/requests/anna-carer/alert", service: "timeline") == nil)
        #expect(Topic.requester(of: "vigil/v1/requests//timeline", service: "timeline") == nil)
    }
}
