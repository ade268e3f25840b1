import Foundation
import HTTPClient
import MessageBus
import Observability
import ServiceKit
import TestSupport
import Testing

@testable import VigilCLI

@Suite("Checking a cluster's engines", .timeLimit(.minutes(4)))
struct ClusterCheckTests {
    @Test("refuses the NATS of Debian 12, which loses acknowledged messages, and says from which version on it is well")
    func oldNATS() async throws {
        let servers = try await NATSServer.start(.debian)
        let report = await look(nats: servers.map(\.monitor))
        #expect(report.findings.map(\.isWell) == [false])
        #expect(report.description.contains("before 2.10.27"), "\(report)")
    }

    @Test(
        "refuses a NATS that keeps one copy only, and takes a cluster that keeps three", .enabled(if: NATSServer.Program.recent.path != nil)
    )
    func copies() async throws {
        let alone = try await NATSServer.start(.recent)
        #expect(await look(nats: alone.map(\.monitor)).description.contains("no streams of it yet"))
        try await connect(alone[0])
        let lacking = await look(nats: alone.map(\.monitor))
        #expect(!lacking.isWell && lacking.description.contains("1 of 3 copies"), "\(lacking)")

        let cluster = try await NATSServer.start(.recent, count: 3, copies: 3)
        try await connect(cluster[0])
        try await eventually("three copies on three nodes") { await look(nats: cluster.map(\.monitor)).isWell }
    }

    @Test("a node of NATS that does not catch up is named, with what to do, though its streams look well")
    func behind() async throws {
        let documents = [
            "/varz": #"{"version":"2.10.27","server_name":"a","max_payload":4194304,"mqtt":{"port":1883}}"#,
            "/jsz": #"{"account_details":[{"stream_detail":[\#(Self.stream)]}]}"#,
        ]
        for (health, isWell) in [(#"{"status":"ok"}"#, true), (Self.notCurrent, false)] {
            try await withServer(documents.merging(["/healthz": health]) { $1 }) { address in
                let report = await look(nats: [address])
                #expect(report.isWell == isWell, "\(report)")
                #expect(report.description.contains("not current with the meta leader): where that lasts") != isWell, "\(report)")
            }
        }
    }

    @Test("a clean session is no burden to NATS: it hears and is answered without a consumer; a lasting one has its own")
    func cleanSession() async throws {
        let server = try await NATSServer.start(.debian)[0]
        try await connect(server)
        func broker(_ id: String, _ session: BrokerConfiguration.Session = .clean) -> BrokerConfiguration {
            BrokerConfiguration(port: server.mqttPort, clientID: id, protocolVersion: .v311, session: session)
        }
        let requester = Requester(broker: broker("asker"), responsePrefix: "answers")
        let lasting = Consumer(
            configuration: ConsumerConfiguration(
                broker: broker("lasting", .persistent(expiry: .seconds(60))), subscriptions: [Subscription("answers/+")]))
        try await withRunning({ try await requester.run() }, stop: { requester.drain() }) {
            #expect(try await consumers(of: server) == 0)
            // Hears its own question as the answer to it.
            let heard = try await requester.request(timeout: .seconds(60)) { OutgoingMessage(topic: $0, payload: [7]) }
            #expect(heard.payload == [7])
            #expect(try await consumers(of: server) == 0)
            try await withRunning({ try await lasting.run() }, stop: { lasting.drain() }) {
                try await eventually("a consumer for what lasts") { try await consumers(of: server) == 1 }
            }
        }
    }

    /// The consumers of messages, as the server counts them.
    private func consumers(of server: NATSServer) async throws -> Int {
        struct Answer: Decodable {
            struct Account: Decodable { let stream_detail: [Stream] }
            struct Stream: Decodable {
                struct State: Decodable { let consumer_count: Int }
                let name: String
                let state: State
            }
            let account_details: [Account]
        }
        let answer = try await HTTPClient(configuration: HTTPClientConfiguration())
            .get(server.monitor + "/jsz?accounts=1&streams=1", timeout: .seconds(10), limit: 1 << 20)
        let streams = try JSONDecoder().decode(Answer.self, from: Data(answer.body)).account_details.flatMap(\.stream_detail)
        return try #require(streams.first { $0.name == "$MQTT_msgs" }).state.consumer_count
    }

    @Test("names consumers that a broken connection has left behind, and how to remove them; one that somebody reads is well")
    func leftovers() async throws {
        func report(_ consumers: [String]) async throws -> CheckReport {
            let stream = Self.stream.dropLast() + #","consumer_detail":[\#(consumers.joined(separator: ","))]}"#
            let documents = [
                "/varz": #"{"version":"2.10.27","server_name":"b","max_payload":4194304,"mqtt":{"port":1883}}"#,
                "/jsz": #"{"account_details":[{"stream_detail":[\#(stream)]}]}"#, "/healthz": #"{"status":"ok"}"#,
            ]
            return try await withServer(documents) { await look(nats: [$0]) }
        }
        func consumer(_ name: String, _ filter: String, isBound: Bool, leader: String = "b") -> String {
            let bound = isBound ? #","push_bound":true"# : ""
            return #"{"name":"\#(name)","config":{"filter_subject":"\#(filter)"},"cluster":{"leader":"\#(leader)"}\#(bound)}"#
        }
        let read = consumer("AbCd_1", "x.get", isBound: true)
        // Away for now, of another filter, of another session, or another node's to judge.
        for other in [
            consumer("EfGh_2", "x.get", isBound: false), consumer("AbCd_3", "x.set", isBound: false),
            consumer("AbCd_4", "x.get", isBound: false, leader: "a"), consumer("AbCd_5", "x.get", isBound: true),
        ] {
            let found = try await report([read, other])
            #expect(found.isWell, "\(found)")
        }
        let left = try await report([read] + (6...9).map { consumer("AbCd_\($0)", "x.get", isBound: false) })
        #expect(!left.isWell && left.description.contains("4 of its consumers are left over"), "\(left)")
        #expect(left.description.contains("nats consumer rm '$MQTT_msgs' AbCd_6;") && !left.description.contains("AbCd_9"), "\(left)")
    }

    private static let stream = #"{"name":"$MQTT_msgs","config":{"num_replicas":3},"cluster":{"leader":"b"}}"#
    /// As 2.10.27 answered for a quarter of an hour.
    private static let notCurrent =
        #"{"status":"unavailable","status_code":503,"error":"JetStream is not current with the meta leader"}"#

    @Test("tells services that go by another number of shares than the others, and says nothing where none has shares")
    func shares() {
        func finding(_ told: [(service: String, state: ModuleStatus.State, shares: Int)]) -> CheckReport.Finding? {
            var states = ServiceStates()
            for (place, one) in told.enumerated() {
                let message = ModuleStatus.message(service: one.service, instance: "i\(place)", one.state, shares: one.shares)
                states.add(IncomingMessage(topic: message.topic, payload: message.payload))
            }
            return states.sharesFinding(["vigil-timeline", "vigil-alert"])
        }
        #expect(finding([("vigil-timeline", .online, 1), ("vigil-alert", .online, 1)]) == nil)
        #expect(finding([("vigil-timeline", .online, 16), ("vigil-alert", .online, 16), ("other", .online, 1)])?.isWell == true)
        #expect(finding([("vigil-timeline", .online, 16), ("vigil-alert", .offline, 1)])?.isWell == true)
        let mixed = finding([("vigil-timeline", .online, 16), ("vigil-timeline", .online, 16), ("vigil-alert", .online, 1)])
        #expect(mixed?.isWell == false)
        #expect(mixed?.words == "16 at vigil-timeline; 1 at vigil-alert; give every service the same --shares")
    }

    @Test("a server that is away, or is another program, is told in words")
    func strangers() async throws {
        try await withPatroni(version: "4.0.4", config: "{}", cluster: "{}") { address in
            let report = await look(nats: [address, "http://admin:s3cret@127.0.0.1:1", "nonsense\u{1B}[31m"])
            #expect(report.findings.map(\.isWell) == [false, false, false])
            #expect(!report.description.contains("\u{1B}") && !report.description.contains("s3cret"), "\(report)")
        }
    }

    @Test(
        "Patroni is well from 3.0.3 on, synchronous and strict, with a leader and a standby that is synchronous",
        arguments: [
            ("4.0.4", #"{"synchronous_mode":true,"synchronous_mode_strict":true}"#, sound, "3 members"),
            ("4.0.4", #"{"synchronous_mode":"quorum","synchronous_mode_strict":true}"#, sound, "3 members"),
            ("3.0.2", #"{"synchronous_mode":true,"synchronous_mode_strict":true}"#, sound, "before 3.0.3"),
            ("4.0.4", #"{"synchronous_mode_strict":true}"#, sound, "synchronous_mode is off"),
            ("4.0.4", #"{"synchronous_mode":"off"}"#, sound, "synchronous_mode is off"),
            ("4.0.4", #"{"synchronous_mode":true}"#, sound, "commits alone"),
            ("4.0.4", strict, #"{"members":[{"name":"a","role":"replica","state":"running"}]}"#, "no leader"),
            ("4.0.4", strict, #"{"members":[{"name":"a","role":"leader","state":"running"}]}"#, "no standby"),
            ("4.0.4", strict, sound.replacing("replica\",\"state\":\"streaming", with: "replica\",\"state\":\"stopped"), "c is stopped"),
            ("4.0.4", strict, "[]", "not what is expected"),
            ("a", strict, sound, "does not say which version"),
        ])
    func databases(_ version: String, _ config: String, _ cluster: String, _ expected: String) async throws {
        try await withPatroni(version: version, config: config, cluster: cluster) { address in
            let report = await look(patroni: [address])
            #expect(report.isWell == (expected == "3 members"))
            #expect(report.description.contains(expected), "\(report)")
        }
    }

    @Test("versions are compared by their numbers", arguments: [("2.9.10", "2.10.27"), ("v2.10.26", "2.10.27-RC.1"), ("3", "3.0.1")])
    func versions(_ older: String, _ newer: String) throws {
        #expect(try #require(EngineVersion(older)) < #require(EngineVersion(newer)))
    }

    private static let strict = #"{"synchronous_mode":true,"synchronous_mode_strict":true}"#
    private static let sound = """
        {"members":[{"name":"a","role":"leader","state":"running"},{"name":"b","role":"sync_standby","state":"streaming"},\
        {"name":"c","role":"replica","state":"streaming"}],"scope":"vigil"}
        """

    private func look(nats: [String] = [], patroni: [String] = []) async -> CheckReport {
        var report = CheckReport()
        await ClusterCheck().look(nats: nats, patroni: patroni, into: &report)
        return report
    }

    /// Has a client publish, for which NATS makes its streams.
    private func connect(_ server: NATSServer) async throws {
        let folder = try TemporaryFolder("vigil-nats-client")
        let words = ["-p", "\(server.mqttPort)", "-V", "mqttv311", "-i", "first", "-q", "1", "-t", "a", "-m", "b"]
        try await eventually("NATS takes a message") {
            (try? await ChildProcess.run("/usr/bin/mosquitto_pub", words, in: folder)) != nil
        }
    }

    /// Runs `body` with the address of a server that answers as Patroni's REST interface is documented to.
    private func withPatroni(version: String, config: String, cluster: String, _ body: (String) async -> Void) async throws {
        let node = #"{"state":"running","role":"master","patroni":{"version":"\#(version)","scope":"vigil"}}"#
        try await withServer(["/patroni": node, "/config": config, "/cluster": cluster], body)
    }

    /// Runs `body` with the address of a server that has these documents.
    private func withServer<Value>(_ documents: [String: String], _ body: (String) async -> Value) async throws -> Value {
        let routes = documents.map { path, text in HTTPRoute("GET", path) { _ in .json([UInt8](text.utf8)) } }
        let server = HTTPServer(host: "127.0.0.1", port: 0, routes: routes)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            await server.started()
            let value = await body("http://127.0.0.1:\(try #require(server.port))")
            tasks.cancelAll()
            try await tasks.waitForAll()
            return value
        }
    }
}
