import Access
import Foundation
import MessageBus
import Observability
import TestSupport
import Testing
import VigilSchema

@Suite("The guard of requests")
struct RequestGuardTests {
    private let folder: TemporaryFolder
    private let control: AccessControl
    private let now = 1000.0

    init() throws {
        folder = try TemporaryFolder()
        var list = AccountList()
        list.set(.init(name: "carl", role: "carer", participants: ["anna"]))
        list.set(.init(name: "odd", role: "unheard-of", participants: ["anna"]))
        try list.encoded().write(to: URL(filePath: folder.path(AccountList.fileName)))
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        control = try AccessControl(roles: root.appending(path: "deploy/roles.json5").path, accounts: folder.path(AccountList.fileName))
    }

    private func message(
        _ topic: String, _ text: String, retained: Bool = false, answeredOn answer: String? = nil, correlation: [UInt8]? = nil
    ) -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/" + topic, payload: Array(text.utf8), retained: retained, qos: .atLeastOnce,
            properties: MessageProperties(responseTopic: answer, correlationData: correlation), packetID: 7)
    }

    private func check(_ service: String, _ message: IncomingMessage, _ control: AccessControl? = nil) -> RequestGuard.Checked {
        let now = now
        return RequestGuard(
            service: service, control: control ?? self.control, log: Logger(service: "test", level: .error) { _ in }, now: { now }
        )
        .check([message])
    }

    private func members(_ message: IncomingMessage?) -> NSDictionary? {
        message.flatMap { try? JSONSerialization.jsonObject(with: Data($0.payload)) as? NSDictionary }
    }

    @Test(
        "measures a silence by its duration or its end; one that tells neither is endless",
        arguments: [
            (#""duration":"24h""#, true), (#""duration":"1441m""#, false), (#""duration":"86400s""#, true),
            (#""duration":"86401s""#, false),
            (#""duration":"1d""#, true), (#""until":87400"#, true), (#""until":87401"#, false), (#""duration":"long""#, false),
            (#""x":1"#, false),
            (#""duration":"23h60m""#, true), (#""duration":"24h1s""#, false), (#""duration":"1 h 30 m""#, true),
            (#""duration":"0h""#, false), (#""duration":"-1h""#, false), (#""duration":"24""#, false),
        ])
    func silence(field: String, isTaken: Bool) {
        let request = message("requests/carl/alert", #"{"command":"silence","participant":"anna","rule":"r","# + field + "}")
        #expect(check("alert", request).messages.isEmpty == !isTaken)
    }

    @Test("hands a command on for one participant, with the sender's name and the topic of the answer")
    func rewritten() {
        let request = message(
            "requests/carl/alert",
            #"{"command":"acknowledge","participant":"anna","rule":"fever","responseTopic":"vigil/v1/responses/carl/2"}"#,
            answeredOn: "vigil/v1/responses/carl/1", correlation: [1, 2])
        let checked = check("alert", request)
        let handed = checked.messages.first
        #expect(handed?.topic == "vigil/v1/requests/carl/alert" && handed?.properties.responseTopic == "vigil/v1/responses/carl/1")
        #expect(members(handed) == ["command": "acknowledge", "participant": "anna", "rule": "fever", "actor": "carl"])
        #expect(checked.isChanged && handed?.properties.correlationData == [1, 2] && handed?.packetID == 7 && handed?.retained == false)
        let line = checked.audit.first
        #expect(
            line?.time == Timestamp(seconds: now) && line?.operation == "alert-acknowledge" && line?.detail == "fever"
                && line?.outcome == "taken")
        // Over MQTT 3.1.1 the answer's topic stands in the payload; one that is another's is left out.
        let old = message(
            "requests/carl/alert", #"{"command":"acknowledge","participant":"anna","responseTopic":"vigil/v1/responses/carl/2"}"#)
        #expect(check("alert", old).messages.first?.properties.responseTopic == "vigil/v1/responses/carl/2")
        let stolen = message(
            "requests/carl/alert", #"{"command":"acknowledge","participant":"anna"}"#, answeredOn: "vigil/v1/responses/ben/2")
        #expect(check("alert", stolen).messages.first?.properties.responseTopic == nil)
        let stress = message("requests/carl/stress", #"{"command":"calibrate","participant":"anna"}"#)
        #expect(members(check("stress", stress).messages.first) == ["command": "calibrate", "participant": "anna", "actor": "carl"])
        let page = message("requests/carl/timeline", #"{"query":"latest","participant":"anna","address":"::1"}"#)
        #expect(check("timeline", page).messages.first?.topic == page.topic && check("timeline", page).audit.isEmpty)
        #expect(members(check("timeline", page).messages.first) == ["query": "latest", "participant": "anna", "actor": "carl"])
    }

    @Test("answers what it refuses with the reason, on the asker's own topic")
    func refused() throws {
        let request = message(
            "requests/carl/timeline", #"{"query":"page","participant":"ben"}"#, answeredOn: "vigil/v1/responses/carl/1", correlation: [9])
        let checked = check("timeline", request)
        let answer = try #require(checked.refusals.first?.message)
        #expect(
            answer.topic == "vigil/v1/responses/carl/1" && answer.properties.correlationData == [9] && checked.isChanged
                && checked.messages.isEmpty)
        #expect(String(decoding: answer.payload, as: UTF8.self) == #"{"error":"carl may not ask about ben","ok":false}"#)
        #expect(checked.audit.map(\.operation) == ["timeline-page"] && checked.audit.map(\.participant) == ["ben"])
        let reasons = [
            ("requests/carl/timeline", "[]", "the request is no JSON object"),
            ("requests/carl/timeline", #"{"query":"erase"}"#, "carer may not ask timeline for erase"),
            ("requests/eve/timeline", #"{"query":"page"}"#, "there is no account eve"),
            ("requests/carl/timeline", #"{"query":"page"}"#, "carl may not ask about everybody"),
            ("requests/odd/timeline", #"{"query":"page"}"#, "the role unheard-of of odd is in no table"),
        ]
        for (topic, text, reason) in reasons {
            let account = topic.split(separator: "/")[1]
            let refusal = check("timeline", message(topic, text, answeredOn: "vigil/v1/responses/\(account)/1")).refusals.first
            #expect(refusal?.message.map { String(decoding: $0.payload, as: UTF8.self).contains(reason) } == true, "\(reason)")
        }
        let names = check("alert", message("requests/operator/alert", #"{"command":"clear","participant":"anna","rule":"a b"}"#))
        #expect(names.messages.isEmpty && names.audit.map(\.outcome) == ["refused"])
        #expect(String(decoding: RequestGuard.plainRefusal("x"), as: UTF8.self) == #"{"error":"x","ok":false}"#)
    }

    @Test("passes on what is no request, and what the broker had kept")
    func passed() {
        for (topic, retained) in [("observations/00/readings", false), ("requests/carl/timeline", true), ("alerts/anna/r", false)] {
            let checked = check("timeline", message(topic, "x", retained: retained))
            #expect(
                checked.messages.map(\.topic) == ["vigil/v1/" + topic] && !checked.isChanged && checked.audit.isEmpty
                    && checked.refusals.isEmpty)
        }
    }

    @Test("lets whoever signs for others name somebody, and signs where nobody is named")
    func signing() {
        func signed(_ fields: String) -> NSDictionary? {
            members(
                check("timeline", message("requests/dashboard/timeline", #"{"query":"latest","participant":"anna"# + fields + "}")).messages
                    .first)
        }
        #expect(
            signed(#"","actor":"ada","address":"::1""#) == ["query": "latest", "participant": "anna", "actor": "ada", "address": "::1"])
        #expect(signed(#"""#) == ["query": "latest", "participant": "anna", "actor": "dashboard"])
    }

    @Test("tells the trail texts that are plain and no longer than it takes")
    func texts() {
        let actor = String(repeating: "ä", count: 70), rule = String(repeating: "r", count: 300)
        let request = message(
            "requests/dashboard/alert",
            #"{"command":"acknowledge","participant":"anna","rule":"x","duration":""# + rule + #"","actor":""# + actor
                + #"","address":"a\u0007\u007fb"}"#)
        let line = check("alert", request).audit.first
        #expect(
            line?.actor == String(repeating: "ä", count: 64) && line?.address == "ab" && line?.detail == String(("x " + rule).prefix(256)))
        let nameless = check("alert", message("requests/carl/alert", #"{"participant":"a b"}"#)).audit.first
        #expect(
            nameless?.operation == "alert-unknown" && nameless?.participant == nil && nameless?.detail == nil && nameless?.actor == "carl")
        let long = check("alert", message("requests/carl/alert", #"{"command":""# + rule + #""}"#)).audit.first
        #expect(long?.operation == String(("alert-" + rule).prefix(64)))
        let far = message(
            "requests/dashboard/alert", #"{"command":"acknowledge","participant":"anna","actor":"a","address":""# + rule + #""}"#)
        #expect(check("alert", far).audit.first?.address == String(rule.prefix(128)))
    }

    @Test("tells the trail sixty refusals")
    func counted() {
        let requests = RequestGuard(service: "timeline", control: control, log: Logger(service: "test", level: .error) { _ in })
        let refused = message("requests/carl/timeline", #"{"query":"erase"}"#)
        #expect((0..<61).map { _ in requests.check([refused]).audit.count } == Array(repeating: 1, count: 60) + [0])
        #expect(requests.check([refused, refused]).audit.isEmpty)
    }

    @Test(
        "a part of what is kept is 384 KiB, the last what is left",
        arguments: [
            (0, 1, 0), (1, 1, 1), (393_215, 1, 393_215), (393_216, 1, 393_216), (393_217, 2, 1), (786_432, 2, 393_216),
        ] as [(Int, Int, Int)])
    func parts(bytes: Int, count: Int, last: Int) {
        let text = [UInt8](repeating: 65, count: bytes)
        let part = PersonalDataPart(of: text, part: count - 1, service: "s", instance: "i")
        #expect(part.ok && part.parts == count && part.part == count - 1 && part.data?.count == last)
        let beyond = PersonalDataPart(of: text, part: count, service: "s", instance: "i")
        #expect(!beyond.ok && beyond.error == "there is no part \(count): there are \(count)")
    }

    /// FNV-1a-64, by its published vectors.
    @Test(
        "a part's digest is that of the whole",
        arguments: [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")])
    func digest(text: String, digest: String) {
        #expect(PersonalDataPart(of: Array(text.utf8), part: 0, service: "s", instance: "i").digest == digest)
    }

    @Test("a confirmation tells of what was removed, and is well where nothing went wrong")
    func confirmation() throws {
        let done = ErasureConfirmation(service: "s", instance: "i", removed: ["a": 2, "b": 0, "c": 1])
        #expect(done.ok && done.removed == ["a": 2, "c": 1])
        let failed = ErasureConfirmation(service: "s", instance: "i", removed: [:], error: "e")
        #expect(
            try !failed.ok
                && String(decoding: failed.encoded(), as: UTF8.self)
                    == #"{"error":"e","instance":"i","ok":false,"removed":{},"service":"s"}"#
        )
        #expect(!PersonalDataPart(error: "e", service: "s", instance: "i").ok)
        #expect(String(decoding: try PersonalData("k", encoding: ["a"]).json, as: UTF8.self) == "{\n\"k\": [\"a\"]\n}\n")
        var two = try PersonalData("b", [["x": 1]])
        two.merge(try PersonalData("a", [["y": "z/"]]))
        #expect(String(decoding: two.json, as: UTF8.self) == "{\n\"a\": [{\"y\":\"z/\"}],\n\"b\": [{\"x\":1}]\n}\n")
        #expect(try PersonalData("k", encoding: [String]()).names.isEmpty)
        let coded = try PersonalData("k", encoding: [["z": "1", "a": "b/c", "m": "2"]])
        #expect(String(decoding: coded.json, as: UTF8.self) == "{\n\"k\": [{\"a\":\"b/c\",\"m\":\"2\",\"z\":\"1\"}]\n}\n")
        let part = try PersonalDataPart(of: Array("a".utf8), part: 0, service: "s/t", instance: "i").encoded()
        #expect(
            String(decoding: part, as: UTF8.self)
                == #"{"data":"YQ==","digest":"af63dc4c8601ec8c","instance":"i","ok":true,"part":0,"parts":1,"service":"s/t"}"#)
        #expect(throws: EncodingError.self) { try PersonalData("k", [["x": Double.nan]]) }
    }

    @Test("a list of accounts has one of each name, in their order, and the suite's own")
    func accounts() throws {
        var list = AccountList()
        for name in ["b", "c", "a", "b"] { list.set(.init(name: name, role: name == "b" ? "carer" : "patient", participants: [])) }
        #expect(list.accounts.map(\.name) == ["a", "b", "c"] && list["b"]?.role == "carer" && list["d"] == nil)
        #expect(list["alert"] == AccountList.Account(name: "alert", role: "alert", participants: []))
        list.remove("b")
        #expect(list["b"] == nil && list["a"] != nil)
        #expect(try AccountList(decoding: list.encoded()) == list)
        // Lines that people can read, and the same list in the same bytes.
        let text = String(decoding: try list.encoded(), as: UTF8.self), members = ["name", "participants", "role"]
        let places = members.map { text.range(of: "\"\($0)\"")?.lowerBound ?? text.endIndex }
        #expect(places == places.sorted() && places.allSatisfy { $0 < text.endIndex })
        #expect(text.hasSuffix("}\n") && text.split(separator: "\n").count > 12)
        #expect(throws: AccessError.self) { try AccountList(decoding: Data("{".utf8)) }
    }
}
