import Foundation
import MessageBus
import SuiteHarness
import TestSupport
import VigilSchema

/// The longest time from an alarm's decision to a healthy receiver, of five hundred patients whose alarms come within a minute, while a webhook, a
/// mail server and a program hang.
struct AlertBesideHanging: Benchmark {
    let name = "alert-beside-hanging"
    let unit = "ms"
    let goal = Goal.atMost(1000)
    let repeats = 1
    private static let patients = 500

    func product(_ bench: Workbench) async throws -> Double {
        let (folder, broker) = (try bench.freshFolder(), try await MosquittoServer.start())
        let healthy = try await PythonServer(script: ReceiverScript.healthy)
        let hanging = (
            web: try await PythonServer(script: ReceiverScript.dripping), mail: try await PythonServer(script: ReceiverScript.stalling)
        )
        let rules = try folder.write(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110}]}"#, to: "rules.json5")
        let notifiers = try Self.notifiers(healthy: healthy.port, web: hanging.web.port, mail: hanging.mail.port, folder)
        let service = try SuiteService(
            "vigil-alert", settings: ["--rules", rules, "--notifiers", notifiers], brokerPort: broker.port, folder: folder)
        try await service.start()
        let delays = try await Self.alarm(broker, healthy)
        try await service.stop()
        guard let longest = delays.max() else { throw HarnessError("nobody was told") }
        Output.note("\(delays.count) told, half of them within \(Table.number(delays.median * 1000)) ms")
        return longest * 1000
    }

    private static func notifiers(healthy: Int, web: Int, mail: Int, _ folder: TemporaryFolder) throws -> String {
        let program = try folder.write(ReceiverScript.stubborn, to: "stubborn")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        return try folder.write(
            """
            {notifiers: [
              {id: "web", type: "webhook", url: "http://127.0.0.1:\(healthy)/"},
              {id: "drip", type: "webhook", url: "http://127.0.0.1:\(web)/", timeout: "5s"},
              {id: "stubborn", type: "command", command: ["\(program)"], timeout: "5s"},
              {id: "mail", type: "mail", server: "smtp://127.0.0.1:\(mail)", encrypted: false, from: "v@example.org",
                to: ["a@example.org"], timeout: "5s"}]}
            """, to: "notifiers.json5")
    }

    /// Raises sixteen alarms a second; returns how late the healthy receiver was told of each patient, in seconds.
    private static func alarm(_ broker: MosquittoServer, _ healthy: PythonServer) async throws -> [Double] {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker.configuration(clientID: "patients")))
        return try await withRunning(publisher) { publisher in
            for patient in 0..<patients {
                try await Task.sleep(for: .milliseconds(60))
                let now = Timestamp(seconds: Date().timeIntervalSince1970)
                let group = ObservationGroup(
                    participant: "p\(patient)", source: "load", received: now,
                    observations: [Observation(metric: "heart-rate", time: now, content: .value(120), unit: "/min")])
                let batch = ObservationBatch(id: ULID.make(at: now), groups: [group])
                try await publisher.publish(
                    OutgoingMessage(
                        topic: Topic.readings(Partition(participant: group.participant)).path, payload: BatchEncoder.encode(batch)))
            }
            var delays: [Substring: Double] = [:]
            while delays.count < patients {
                guard let line = await healthy.nextLine() else { throw HarnessError("\(delays.count) of \(patients) were told") }
                let words = line.split(separator: " ")
                guard words.count == 2, words[0].hasPrefix("p"), delays[words[0]] == nil else { continue }
                delays[words[0]] = Double(words[1])
            }
            return Array(delays.values)
        }
    }
}
