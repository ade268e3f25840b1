import AlertRules
import Observability
import ServiceKit
import Settings
import Shares
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("The tasks that tell people", .timeLimit(.minutes(2)))
struct NotifierMembersTests {
    private static func settings(secret: String?, heartbeat: Bool = true) -> NotifierSettings {
        var settings = NotifierSettings()
        settings.notifiers = [
            .init(route: NotifierRoute(id: "web"), way: .webhook(url: "http://127.0.0.1:1/", secretFile: secret), timeout: .seconds(1)),
            .init(route: NotifierRoute(id: "page"), way: .command(["/bin/true"]), timeout: .seconds(1)),
        ]
        if heartbeat { settings.heartbeat = .init(url: "http://127.0.0.1:1/", interval: .seconds(60)) }
        return settings
    }

    private static func names(_ settings: NotifierSettings, share: Share? = nil) throws -> Set<String> {
        Set(try runner(settings, share: share).wanted.keys)
    }

    private static func runner(_ settings: NotifierSettings, share: Share? = nil, _ rig: CoordinatorRig? = nil) throws -> NotifierRunner {
        let rig = try rig ?? CoordinatorRig(notifiers: [])
        rig.feed.set(settings)
        return NotifierRunner(
            feed: rig.feed, core: rig.core, coordinator: rig.coordinator, share: share, isAlive: { true }, log: rig.log.logger,
            metrics: MetricsRegistry())
    }

    @Test("are one for each notifier, and one heart that beats where no shares are, or at the share that answers for all")
    func members() throws {
        #expect(try Self.names(Self.settings(secret: nil)) == ["notifier web", "notifier page", "heartbeat"])
        #expect(try Self.names(Self.settings(secret: nil, heartbeat: false)) == ["notifier web", "notifier page"])
        let hearts = try Share.all(of: 4).map { try Self.names(Self.settings(secret: nil), share: $0).contains("heartbeat") }
        #expect(hearts == Share.all(of: 4).map { $0.owns("all") })
    }

    @Test("need the secret that is named", arguments: [("s3cret", true), ("\ns3cret\n", true), ("", false), ("\n\n", false), (nil, false)])
    func secret(content: String?, isFine: Bool) throws {
        let folder = try TemporaryFolder("secret")
        let path = folder.path("secret")
        if let content { try folder.write(content, to: "secret") }
        let settings = Self.settings(secret: path)
        #expect(try Self.names(settings).contains("notifier web") == isFine)
        guard !isFine else { return }
        let error = #expect(throws: CommandError.self) { _ = try NotifierSecrets(settings.notifiers[0]) }
        #expect(error?.exitCode == .noInput)
    }

    @Test("a secret or a setting that changes begins that notifier anew, and no other")
    func changed() throws {
        let folder = try TemporaryFolder("secret")
        let path = try folder.write("one", to: "secret")
        let before = try Self.runner(Self.settings(secret: path)).wanted
        try folder.write("two", to: "secret")
        var settings = Self.settings(secret: path)
        settings.notifiers[1].timeout = .seconds(2)
        let after = try Self.runner(settings).wanted
        #expect(Set(after.keys) == Set(before.keys))
        #expect(before.filter { after[$0.key]?.source == $0.value.source }.map(\.key) == ["heartbeat"])
    }

    @Test("the counters are there without a notifier")
    func counters() {
        let registry = MetricsRegistry()
        let counters = NotifierCounters(registry)
        counters.delivered.add(2)
        counters.failed.add(3)
        counters.refused.add(4)
        let text = registry.render()
        #expect(text.contains("vigil_alert_notifications_total 2\n") && text.contains("vigil_alert_notification_failures_total 3\n"))
        #expect(text.contains("vigil_alert_recipients_refused_total 4\n"))
    }

    @Test(
        "the heart beats at its interval while the engine works, and looks again within a second while it does not",
        arguments: [(60_000, 1000), (500, 500)])
    func heartbeat(interval: Int, look: Int) async throws {
        let (clock, log, asked) = (SteppingClock(4), LogLines(), Asked())
        let sender = HeartbeatSender(
            heartbeat: .init(url: "http://127.0.0.1:1/", interval: .milliseconds(interval)), log: log.logger,
            isAlive: { asked.next() > 2 }, clock: clock, report: { _, _ in })
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try? await sender.run() }
            try await eventually("four sleeps") { clock.steps.count >= 4 }
            tasks.cancelAll()
        }
        #expect(Array(clock.steps[..<4]) == [look, look, interval, interval].map { Duration.milliseconds($0) })
        // Nobody listens there.
        #expect(log.lines.prefix(2) == ["warning: heartbeat not delivered", "warning: heartbeat not delivered"])
    }

    @Test(
        "a monitor that refuses for good is told at once, one that may take it later after three times, and its return too",
        arguments: [(410, 1), (404, 1), (429, 3), (503, 3)])
    func refusedHeartbeat(status: Int, attempts: Int) async throws {
        let server = try await PythonServer(script: Self.monitor(status, attempts: attempts))
        let (clock, log, reports) = (SteppingClock(attempts + 1), LogLines(), NotifierCourseTests.Lines())
        let sender = HeartbeatSender(
            heartbeat: .init(url: "http://127.0.0.1:\(server.port)/", interval: .seconds(60)), log: log.logger, isAlive: { true },
            clock: clock, report: { reports.note("\($0) \($1.rawValue)") })
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try? await sender.run() }
            try await eventually("the return") { reports.all.count >= 2 }
            tasks.cancelAll()
        }
        #expect(reports.all == ["heartbeat heartbeat-refused", "heartbeat delivering"])
        // The request under way at the end is cancelled, which is a failure of its own.
        let logged = log.values("failures", of: "heartbeat not delivered")
        #expect(Array(logged.prefix(min(2, attempts))) == Array(["1", "2"].prefix(attempts)))
    }

    /// Answers the first requests with a status, and later ones with 200.
    private static func monitor(_ status: Int, attempts: Int) -> String {
        """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            count = 0
            def log_message(self, *a): pass
            def do_GET(self):
                Handler.count += 1
                self.send_response(\(status) if Handler.count <= \(attempts) else 200)
                self.send_header('Content-Length', '0'); self.end_headers()
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
    }

    /// Counts how often it was asked.
    private final class Asked: Sendable {
        private let count = Atomic(0)
        func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }
}

@Suite("Numbers of vigil-alert")
struct AlertMetricsTests {
    @Test("each counter is shown under its name")
    func counters() {
        let (counts, registry) = (AlertCounts(), MetricsRegistry())
        AlertMetrics.register(counts, registry)
        func values() -> [String: String] {
            registry.render().split(separator: "\n").filter { !$0.hasPrefix("#") }.reduce(into: [:]) { values, line in
                let words = line.split(separator: " ")
                values[String(words[0].dropFirst("vigil_alert_".count))] = String(words[1])
            }
        }
        #expect(values().values.allSatisfy { Double($0) == 0 } && values().count == 11, "\(values())")
        counts.readings.add(1, ordering: .relaxed)
        counts.ignored.add(2, ordering: .relaxed)
        counts.events.add(3, ordering: .relaxed)
        counts.lag.store(4_500_000, ordering: .relaxed)
        counts.malformed.add(5, ordering: .relaxed)
        counts.strangers.add(6, ordering: .relaxed)
        counts.repeated.add(7, ordering: .relaxed)
        counts.unpublishable.add(8, ordering: .relaxed)
        counts.unconfirmed.add(9, ordering: .relaxed)
        counts.questionsRefused.add(10, ordering: .relaxed)
        counts.answersDropped.add(11, ordering: .relaxed)
        #expect(
            values() == [
                "readings_total": "1", "ignored_readings_total": "2", "events_total": "3", "lag_seconds": "4.5",
                "malformed_batches_total": "5", "strangers_readings_total": "6", "repeated_batches_total": "7",
                "unpublishable_total": "8", "unconfirmed_total": "9", "questions_refused_total": "10", "answers_dropped_total": "11",
            ])
    }
}
