import SuiteHarness
import TestSupport
import Testing

@Suite("The suite over MQTT 3.1.1", .timeLimit(.minutes(4)))
struct OldProtocolTests {
    @Test("confirms what is stored, so that the outbox empties")
    func confirms() async throws {
        let broker = try await MosquittoServer.start()
        let folder = try TemporaryFolder()
        let old = ["--broker-protocol", "3.1.1"]
        let timeline = try SuiteService(
            "vigil-timeline", settings: old + ["--store", "sqlite:\(folder.path("timeline.sqlite"))"], brokerPort: broker.port,
            folder: folder)
        let ingest = try SuiteService("vigil-ingest", settings: old, brokerPort: broker.port, folder: folder)
        // Its session stays at the broker and collects what is published while it is away.
        try await timeline.start()
        try await timeline.stop()
        try await ingest.start()
        let payload = #"{"metric":"heart-rate","time":1700000000,"value":61}"#
        try await ChildProcess.run(
            "/usr/bin/mosquitto_pub",
            ["-V", "311", "-q", "1", "-p", "\(broker.port)", "-t", "vigil/v1/ingest/anna/watch", "-m", payload], in: folder)
        try await eventually("the batch to wait") { ingest.metric("vigil_ingest_outbox_batches") == 1 }
        try await timeline.start()
        try await eventually("the confirmation") { ingest.metric("vigil_ingest_outbox_batches") == 0 }
        let store = StoreUnderTest.sqlite(path: folder.path("timeline.sqlite"))
        #expect(try await store.lines("SELECT value FROM readings WHERE participant = 'anna'").count == 1)
        try await ingest.stop()
        try await timeline.stop()
    }
}
