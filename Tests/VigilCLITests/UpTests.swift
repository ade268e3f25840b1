import Foundation
import SQLiteDatabase
import ServiceKit
import Settings
import TestSupport
import Testing

@testable import VigilCLI

@Suite("vigil up", .serialized, .timeLimit(.minutes(3)))
struct UpTests {
    /// Returns the number of readings and blocks of a source that the timeline holds.
    private func stored(_ suite: RunningSuite, _ source: String) throws -> Int64 {
        let database = try Database(path: suite.folder.path("state/timeline.sqlite"), readOnly: true)
        let row = try database.statement(
            "SELECT (SELECT count(*) FROM readings WHERE source = ?1) + (SELECT count(*) FROM waveforms WHERE source = ?1)")
        try row.bind([.text(source)])
        return try row.step() ? row.integer(0) : -1
    }

    @Test("carries a wearer's readings from a device to the timeline, tells what it refused, and stops in order")
    func wholeWay() async throws {
        let suite = try await RunningSuite()
        let simulation = try await suite.run(["simulate", "anna", "--device", "sim", "--seconds", "30", "--speed", "100"])
        #expect(simulation.code == 0)
        #expect(simulation.output.contains("published 120 observations in 30 messages"))
        try await eventually("120 observations to be stored") { try stored(suite, "sim") == 120 }

        let good = try await suite.run(["publish", "--participant", "anna", "--metric", "heart-rate", "--value", "61", "--receipt"])
        #expect(good.code == 0)
        #expect(good.output.contains("stored 1, duplicates 0, corrections 0, rejected 0, unconfirmed 0"))
        let bad = try await suite.run(["publish", "--participant", "anna", "--metric", "heart-rate", "--value", "6100", "--receipt"])
        #expect(bad.code == 1)
        #expect(bad.output.contains("rejected 1"))

        let check = try await suite.run(["check"])
        #expect(check.code == 0)
        #expect(check.output.contains("committed and confirmed"))
        try await erasure(suite)
        #expect(try await suite.interrupt() == 0)
        let stops = suite.output.split(separator: "\n").filter { $0.hasSuffix(" stopped") }
        #expect(stops.first == "vigil-dashboard stopped" && stops.last == "broker stopped")
    }

    private func erasure(_ suite: RunningSuite) async throws {
        let publish = ["publish", "--participant", "ben", "--device", "pedometer", "--metric", "steps", "--value", "61", "--receipt"]
        #expect(try await suite.run(publish).code == 0)
        let unconfirmed = try await suite.run(["timeline", "erase", "ben"])
        #expect(unconfirmed.code == 1 && unconfirmed.output.contains("not confirmed; nothing is removed"), "\(unconfirmed.output)")
        #expect(try stored(suite, "pedometer") == 1)
        let erased = try await suite.run(["timeline", "erase", "ben", "--yes"])
        #expect(erased.code == 0 && erased.output.contains("ben is erased"), "\(erased.output)")
        #expect(erased.output.contains(#/readings +1\n/#) && erased.output.contains(#/name +1\n/#), "\(erased.output)")
        #expect(try stored(suite, "pedometer") == 0)
        let again = try await suite.run(["timeline", "erase", "ben", "--yes"])
        #expect(again.code == 1 && again.output.contains("nothing is stored of ben"), "\(again.output)")
    }

    @Test("raises an alert for a device that was put into quarantine, and ends it when the device is released")
    func quarantine() async throws {
        let suite = try await RunningSuite()
        let listed = try await suite.run(["devices", "--quarantine", "anna/watch"])
        #expect(listed.code == 0 && listed.output.contains("in quarantine"))
        let refused = try await suite.run([
            "publish", "--participant", "anna", "--device", "watch", "--metric", "heart-rate", "--value", "61", "--receipt",
        ])
        #expect(refused.code == 1 && refused.output.contains("the device is in quarantine"))
        try await eventually("the alert") { try await suite.run(["alerts", "list"]).output.contains("device-quarantined") }
        #expect(try await suite.run(["devices", "--release", "anna/watch"]).code == 0)
        try await eventually("the alert's end") { try await !suite.run(["alerts", "list"]).output.contains("device-quarantined") }
        #expect(try await suite.interrupt() == 0)
    }

    @Test("starts a killed service again, and a spool gets through meanwhile")
    func death() async throws {
        let suite = try await RunningSuite()
        let before = suite.processes(of: "vigil-ingest")
        #expect(before.count == 1)
        for process in before { kill(process, SIGKILL) }
        let sent = try await suite.run([
            "publish", "--participant", "anna", "--device", "d1", "--metric", "heart-rate", "--value", "61", "--spool",
            suite.folder.path("spool.sqlite"), "--receipt-within", "2s",
        ])
        #expect(sent.code == 0)
        #expect(try stored(suite, "d1") == 1)
        #expect(suite.output.contains("vigil-ingest ended with 137; starting it again"))
        #expect(suite.processes(of: "vigil-ingest") != before)
        #expect(try await suite.interrupt() == 0)
    }

    @Test("leaves no service behind when it is killed itself, and ends the broker that was left when it starts again")
    func orphans() async throws {
        let suite = try await RunningSuite()
        #expect(!suite.processes(of: "vigil-timeline").isEmpty)
        try await suite.kill()
        try await eventually("the services to end") { Suite.services.allSatisfy { suite.processes(of: $0.name).isEmpty } }
        let left = suite.brokers()
        #expect(left.count == 1)
        let again = try await RunningSuite(folder: suite.folder)
        #expect(again.brokers().count == 1 && again.brokers() != left)
        #expect(try await again.interrupt() == 0)
    }

    @Test("says what is in the way: a taken port, a folder in use, a program that is missing")
    func refusals() async throws {
        let suite = try await RunningSuite()
        let taken = try await suite.run(["up", "--state-folder", suite.folder.path("other")])
        #expect(taken.code == 69)
        #expect(taken.output.contains("port \(suite.port) is taken"))
        let free = try LoopbackPort.free(9)
        let twice = try await suite.run(["up", "--broker-port", "\(free + 1)", "--health-port", "\(free)"], withBroker: false)
        #expect(twice.code == 64 && twice.output.contains("is meant for the broker and for something else"), "\(twice.output)")
        let state = ["up", "--state-folder", suite.folder.path("state"), "--health-port", "\(free)"]
        let second = try ChildProcess(
            BuiltProgram.path("vigil"), state + ["--broker-port", "\(free + 8)"], output: suite.folder.path("second.log"),
            environment: [:])
        #expect(try await second.waitForExit() == 69)
        #expect(second.output.contains("another vigil up uses"))
        let missing = try ChildProcess(
            BuiltProgram.path("vigil"), ["up", "--mosquitto", "/nonexistent"], output: suite.folder.path("third.log"), environment: [:])
        #expect(try await missing.waitForExit() == 69)
        #expect(missing.output.contains("/nonexistent is missing: apt-get install mosquitto"))
        #expect(try await suite.interrupt() == 0)
    }

    @Test(
        "lets other machines in only with accounts, and the services' port stays on this one",
        arguments: [("0.0.0.0", "needs --private"), ("192.168.1.7\nlistener 1", "is an IP address"), ("everywhere", "is an IP address")])
    func network(address: String, reason: String) async throws {
        let folder = try TemporaryFolder("vigil-up")
        let refused = try ChildProcess(
            BuiltProgram.path("vigil"), ["up", "--state-folder", folder.path("state"), "--broker-listen", address],
            output: folder.path("up.log"), environment: [:])
        #expect(try await refused.waitForExit() == 64)
        #expect(refused.output.contains(reason), "\(refused.output)")
        let text = try BrokerFiles.configuration(
            settings: "", port: 1883, folder: "/b", accounts: PrivateAccounts(folder: "/a", servicePort: 1999), address: "0.0.0.0")
        #expect(text.contains("listener 1883 0.0.0.0\n") && text.contains("listener 1999 127.0.0.1\n"))
        #expect(!text.contains("allow_anonymous true"))
    }
}
