import Foundation
import MessageBus
import ServiceKit
import Synchronization
import TestSupport
import Testing
import VigilSchema

/// `vigil-modules` as a process beside a real Mosquitto and a real timeline, asked as an operator would.
@Suite("vigil-modules", .serialized, .timeLimit(.minutes(4)))
struct ModulesServiceTests {
    private struct Failure: Error { let description: String }

    /// The statuses that were published, in order.
    private final class Statuses: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }

        func add(_ messages: [IncomingMessage]) {
            list.withLock { $0 += messages.map { $0.text.contains("offline") ? "offline" : "online" } }
        }
    }

    /// One server and the programs around it.
    private struct Suite {
        let server: MosquittoServer
        let folder: TemporaryFolder
        let program: String
        let started = Date.now.timeIntervalSince1970.rounded()

        init(_ program: String = "vigil-modules") async throws {
            server = try await MosquittoServer.start()
            folder = try TemporaryFolder("vigil-modules")
            self.program = program
        }

        func launch(_ name: String? = nil, _ arguments: [String] = []) async throws -> ChildProcess {
            let name = name ?? program
            let process = try ChildProcess(
                BuiltProgram.path(name), ["--broker-port", "\(server.port)"] + arguments + ["--state-folder", folder.path("state")],
                output: folder.path("\(name)-\(UUID().uuidString).log"), environment: ["PATH": "/usr/bin:/bin"])
            try await eventually("\(name) running") {
                guard !process.hasEnded else { throw Failure(description: process.output) }
                return process.output.contains(" running")
            }
            return process
        }

        /// Returns what `vigil modules …` prints, and whether it ended with 0.
        func modules(_ arguments: String...) async throws -> (text: String, isFine: Bool) {
            let command = try ChildProcess(
                BuiltProgram.path("vigil"), ["modules"] + arguments + ["--broker-port", "\(server.port)"],
                output: folder.path("vigil-\(UUID().uuidString)"), environment: ["PATH": "/usr/bin:/bin"])
            let code = try await command.waitForExit()
            return (command.output.trimmingCharacters(in: .whitespacesAndNewlines), code == 0)
        }

        func publish(
            _ metric: String, _ values: [(age: Double, value: Double)], participant: String = "anna", unit: String = "kg",
            isDerived: Bool = false
        )
            async throws
        {
            let group = ObservationGroup(
                participant: participant, source: "scale", received: Timestamp(seconds: started),
                observations: values.map {
                    Observation(metric: metric, time: Timestamp(seconds: started - $0.age), content: .value($0.value), unit: unit)
                })
            let batch = ObservationBatch(id: ULID.make(at: Timestamp(seconds: started)), groups: [group])
            let partition = Partition(participant: participant)
            let topic = isDerived ? Topic.derived(partition) : .readings(partition)
            try await server.publish([OutgoingMessage(topic: topic.path, payload: BatchEncoder.encode(batch))])
        }
    }

    private static let weights: [(age: Double, value: Double)] = (1...50).map { (day: Int) -> (age: Double, value: Double) in
        let noise = Double((day * 7) % 5) * 0.2
        return (Double(day) * 86_400, 82 + noise + 0.05 * Double(day))
    }

    @Test("gives the same values after kill -9 in the middle of its work as without")
    func kill() async throws {
        var values: [String] = []
        for isKilled in [false, true] {
            let suite = try await Suite()
            var service = try await suite.launch()
            for (number, weight) in Self.weights.enumerated() {
                try await suite.publish("body-weight", [weight], isDerived: number % 2 == 1)
                if isKilled, number % 10 == 5 {
                    service.signal(SIGKILL)
                    try await service.waitForExit()
                    service = try await suite.launch()
                }
            }
            try await eventually("all weighings") { try await suite.modules("get", "anna", "weight.weighings").text == "50" }
            values.append(
                try await suite.modules("get", "anna", "weight.trend").text + " " + suite.modules("get", "anna", "weight.level").text)
            service.signal(SIGTERM)
            #expect(try await service.waitForExit() == 0)
        }
        #expect(values[0] == values[1] && values[0].contains("."))
    }

    @Test("reads the past from the timeline, follows the profile there, and forgets who is erased there")
    func timeline() async throws {
        let suite = try await Suite()
        let store = try await suite.launch("vigil-timeline", ["--store", "sqlite:\(suite.folder.path("timeline.sqlite"))"])
        try await suite.publish("body-weight", Self.weights)
        let service = try await suite.launch()
        try await eventually("the past") { try await suite.modules("get", "anna", "weight.weighings").text == "50" }
        let profile = Array(
            #"{"query":"set-profile","participant":"anna","profile":{"modules":["stress"]},"responseTopic":"vigil/v1/responses/t/1"}"#.utf8)
        try await suite.server.publish([OutgoingMessage(topic: "vigil/v1/requests/t/timeline", payload: profile)])
        try await eventually("the module switched off") { try await suite.modules("get", "anna", "weight.available").text == "false" }
        let erase = Array(#"{"query":"erase","participant":"anna","responseTopic":"vigil/v1/responses/t/2"}"#.utf8)
        try await suite.server.publish([OutgoingMessage(topic: "vigil/v1/requests/t/timeline", payload: erase)])
        try await eventually("the erasure") { try await suite.modules("get", "anna", "weight.available").text == "true" }
        #expect(try await suite.modules("get", "anna", "weight.weighings").isFine == false)
        for process in [service, store] {
            process.signal(SIGTERM)
            try await process.waitForExit()
        }
    }

    @Test("stops a module that throws, traps, loops, eats memory or talks too much, tells it, and goes on with the others")
    func containment() async throws {
        let suite = try await Suite("modules-probe")
        let service = try await suite.launch(nil, ["--module-time", "2s"])
        let statuses = Statuses()
        let watcher = suite.server.consumer("watcher", "vigil/v1/modules/vigil-modules/probe/status")
        try await withRunning(watcher) { watcher in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    for try await batch in watcher.batches {
                        statuses.add(batch.messages)
                        batch.settle(.committed)
                    }
                }
                try await eventually("the first status") { !statuses.all.isEmpty }
                for (pain, words) in [
                    (5.0, ["bytes"]), (6, ["Refusal"]), (7, ["trapped"]), (8, ["too long"]), (9, ["trapped", "too long"]),
                ] {
                    let person = "p\(Int(pain))"
                    try await suite.publish("pain", [(10, pain)], participant: person, unit: "1")
                    try await suite.publish("body-weight", Self.weights, participant: person)
                    try await eventually("the failure of \(person)") {
                        try await suite.modules("get", person, "probe.doubled").text.contains("stopped")
                    }
                    let told = try await suite.modules("get", person, "probe.doubled").text
                    // Of too much memory: that runs out, or the time does where the machine is busy.
                    #expect(words.contains { told.contains($0) }, "\(told)")
                    #expect(try await suite.modules("get", person, "weight.weighings").text == "50")
                }
                #expect(statuses.all.contains("offline"))
                try await suite.publish("pain", [(5, 4)], participant: "p7", unit: "1")
                try await eventually("the module at work again") { try await suite.modules("get", "p7", "probe.doubled").text == "8" }
                tasks.cancelAll()
            }
        }
        service.signal(SIGTERM)
        #expect(try await service.waitForExit() == 0)
    }

    @Test("is checked parameter by parameter, an example module among them")
    func check() async throws {
        let suite = try await Suite("modules-probe")
        let service = try await suite.launch()
        let report = try await suite.modules("check", "ben")
        #expect(report.isFine && report.text.contains("2 modules"), "\(report.text)")
        #expect(try await suite.modules("set", "ben", "probe.doubled", "2").text.contains("can only be read"))
        #expect(try await suite.modules("list").text.contains("probe"))
        service.signal(SIGTERM)
        try await service.waitForExit()
    }

    @Test("answers on after requests that are hostile in name, size and type")
    func hostile() async throws {
        let suite = try await Suite()
        let service = try await suite.launch()
        let long = String(repeating: "x", count: 200_000)
        let answer = #""responseTopic":"vigil/v1/responses/me/1","id":"1""#
        let texts = [
            "", "null", "[]", "{", "{}", #"{"name":null}"#, #"{"name":7,\#(answer)}"#, #"{"name":"weight.target",\#(answer)}"#,
            #"{"name":"weight.target","participant":"../../etc","value":70,\#(answer)}"#,
            #"{"name":"weight.target","participant":"a/#","value":70,\#(answer)}"#,
            #"{"name":"weight.target","participant":"\#(long)","value":70,\#(answer)}"#,
            #"{"name":"\#(long)","participant":"anna","value":70,\#(answer)}"#,
            #"{"name":"weight.target","participant":"anna","value":"\#(long)",\#(answer)}"#,
            #"{"name":"weight.target","participant":"anna","value":[70],\#(answer)}"#,
            #"{"name":"weight.target","participant":"anna","value":{"a":1},\#(answer)}"#,
            #"{"name":"weight.target","participant":"anna","value":1e999,\#(answer)}"#,
            #"{"name":"weight.target';DROP TABLE person;--","participant":"anna","value":1,\#(answer)}"#,
            #"{"name":"...","participant":"anna","value":1,\#(answer)}"#,
            #"{"name":"weight.target","participant":"anna","value":70,"responseTopic":"vigil/v1/observations/00/readings"}"#,
            #"{"name":"weight.target","participant":"anna","value":70,"responseTopic":"+/x"}"#,
            String(repeating: "[", count: 100_000),
        ]
        let payloads = texts.map { Array($0.utf8) } + [[0xFF, 0xFE, 0x00], Array(repeating: 0, count: 65_536)]
        for verb in ["get", "set"] {
            try await suite.server.publish(
                payloads.map { OutgoingMessage(topic: "vigil/v1/modules/vigil-modules/\(verb)", payload: $0) })
        }
        #expect(try await suite.modules("set", "anna", "weight.target", "71").isFine)
        #expect(try await suite.modules("get", "anna", "weight.target").text == "71")
        for name in ["a/#", "../../etc", long] {
            #expect(try await suite.modules("get", name.count > 1000 ? "x" : name, "weight.weighings").isFine == false)
        }
        #expect(try await suite.modules("check", "anna").isFine)
        service.signal(SIGTERM)
        #expect(try await service.waitForExit() == 0)
    }
}
