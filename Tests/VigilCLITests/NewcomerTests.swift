import Foundation
import HTTPClient
import TestSupport
import Testing

@testable import VigilCLI

/// The steps that deploy/docs/reference/mappings.md tells somebody with an ESPHome thermometer, a scale that two people use, and a phone, done as it stands
/// there.
@Suite("A newcomer's sensors", .timeLimit(.minutes(6)))
struct NewcomerTests {
    private static let scale = """
        {mappings: [{
          name: "our scale",
          topics: ["home/{gateway}/BTtoMQTT/{address}"],
          when: {id: "A4:C1:38:00:00:01", weighing_mode: "person"},
          participant: {choose: [
            {when: {weight: {min: 40, max: 65}}, is: "anna"},
            {when: {weight: {min: 65, max: 120}}, is: "bernd"},
          ]},
          device: "scale",
          readings: [{metric: "body-weight", value: "weight", unit: {from: "unit"}}],
          ignore: ["*"],
        }]}
        """

    private static let pulse = """
        {mappings: [{
          topics: ["gym/{bike}/grip"], format: "plain", participant: "cleo", device: "@bike",
          readings: [{metric: "pulse-rate", value: ".", unit: "/min"}],
        }]}
        """

    private static func weight(_ kilograms: Double) -> String {
        #"{"id":"A4:C1:38:00:00:01","type":"SCALE","weighing_mode":"person","unit":"kg","weight":\#(kilograms)}"#
    }

    @Test("are in the timeline by files and commands alone; a file with a mistake changes nothing and says where it is")
    func sensors() async throws {
        let folder = try TemporaryFolder("vigil-newcomer")
        let port = try LoopbackPort.free(), tokens = folder.path("tokens")
        let made = try ChildProcess(
            BuiltProgram.path("vigil"), ["tokens", "add", "anna", "phone", "--tokens", tokens], output: folder.path("token"),
            environment: [:])
        #expect(try await made.waitForExit() == 0)
        let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let suite = try await RunningSuite(
            folder: folder,
            place: ["--state-folder", folder.path("state"), "--ingest-http-port", "\(port)", "--ingest-http-tokens", tokens])
        let client = try await HostileClient.connected(port: suite.port)

        @Sendable func latest(_ participant: String) async throws -> String {
            try await suite.run(
                ["timeline", "latest", participant, "--store", "sqlite:\(folder.path("state/timeline.sqlite"))"], withBroker: false
            ).output
        }
        func weigh(_ kilograms: Double) async throws {
            try await client.acknowledged([client.publish("home/gw/BTtoMQTT/A4C138000001", Self.weight(kilograms))])
        }

        // The shipped mappings are in force, and who is nobody's is kept all the same.
        try await client.acknowledged([client.publish("bath/sensor/body_temperature/state", "36.6")])
        try await eventually(within: .seconds(60), "the thermometer's reading") { try await latest("unknown").contains("body-temperature") }

        // Whose it is, and who stands on the scale.
        try #"{tables: {people: {bath: "anna"}}}"#.write(
            toFile: folder.path("state/mappings/people.json5"), atomically: true, encoding: .utf8)
        try Self.scale.write(toFile: folder.path("state/mappings/scale.json5"), atomically: true, encoding: .utf8)
        let reloaded = try await suite.run(["map", "reload"])
        #expect(reloaded.code == 0 && reloaded.output.contains("our scale"), "\(reloaded.output)")
        try await client.acknowledged([client.publish("bath/sensor/body_temperature/state", "36.7")])
        try await weigh(58.2)
        try await weigh(81.5)
        try await eventually(within: .seconds(60), "anna's and bernd's readings") {
            let (anna, bernd) = (try await latest("anna"), try await latest("bernd"))
            return anna.contains("body-temperature") && anna.contains("58.2") && bernd.contains("81.5") && !bernd.contains("58.2")
        }

        // A mistake is told, and what was in force stays.
        try Self.scale.replacing("weighing_mode", with: "weighing_mode:").write(
            toFile: folder.path("state/mappings/scale.json5"), atomically: true, encoding: .utf8)
        let refused = try await suite.run(["map", "reload"])
        #expect(refused.code != 0 && refused.output.contains("scale.json5:4:"), "\(refused.output)")
        try await weigh(59.1)
        try await eventually(within: .seconds(60), "the scale by the former file") { try await latest("anna").contains("59.1") }

        // As SIGHUP does, once the file is right again: bernd's part begins where anna's ends.
        try Self.scale.replacing("65", with: "59").write(
            toFile: folder.path("state/mappings/scale.json5"), atomically: true, encoding: .utf8)
        for process in suite.processes(of: "vigil-ingest") { kill(process, SIGHUP) }
        try await eventually(within: .seconds(60), "the scale by the new file") {
            try await client.acknowledged([client.publish("home/gw/BTtoMQTT/A4C138000001", Self.weight(60.4))])
            return try await latest("bernd").contains("60.4")
        }

        // A topic that is new with the reload is listened to at once, by the service that runs.
        try Self.pulse.write(toFile: folder.path("state/mappings/pulse.json5"), atomically: true, encoding: .utf8)
        for process in suite.processes(of: "vigil-ingest") { kill(process, SIGHUP) }
        try await eventually(within: .seconds(60), "the topic that the new file brings") {
            try await client.acknowledged([client.publish("gym/bike-3/grip", "97")])
            return try await latest("cleo").contains("97")
        }

        // The phone.
        let export =
            #"{"data":{"metrics":[{"name":"resting_heart_rate","units":"count/min","data":[{"qty":54,"date":"2026-01-31 12:00:00 +0100"}]}]}}"#
        let answer = try await HTTPClient().post(
            "http://127.0.0.1:\(port)/ingest/anna/phone", body: Array(export.utf8), contentType: "application/json",
            headers: [HTTPHeader("Authorization", "Bearer \(token)")], timeout: .seconds(60))
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        #expect(try await latest("anna").contains("resting-heart-rate"))
        #expect(try await suite.interrupt() == 0)
    }
}

@Suite("A command in the wrong folder", .timeLimit(.minutes(1)))
struct WrongFolderTests {
    @Test(
        "makes no accounts that no dashboard reads, and says where it looked",
        arguments: [
            ["add", "nora"], ["list"], ["revoke", "nora"], ["reset", "nora"], ["token", "nora"], ["tokens", "nora"], ["audit"],
        ])
    func people(_ words: [String]) async throws {
        let folder = try TemporaryFolder("vigil-people"), state = folder.path("state")
        let child = try ChildProcess(
            BuiltProgram.path("vigil"), ["people"] + words + ["--state-folder", state], output: folder.path("output"), environment: [:])
        #expect(try await child.waitForExit() == 66)
        #expect(child.output.contains("there are no accounts at \(state)/"), "\(child.output)")
        #expect(!FileManager.default.fileExists(atPath: state))
    }
}
