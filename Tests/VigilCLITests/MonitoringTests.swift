import Foundation
import HTTPClient
import TestSupport
import Testing

@testable import VigilCLI

@Suite("Monitoring", .timeLimit(.minutes(4)))
struct MonitoringTests {
    /// The promises to an operator of every service, by the part of it that is the service's own.
    private static let promised = [
        "vigil_timeline_observations_received_total", "vigil_timeline_observations_stored_total",
        "vigil_timeline_observations_duplicate_total", "vigil_timeline_observations_corrected_total",
        "vigil_timeline_observations_rejected_total", "vigil_timeline_observations_in_flight", "vigil_timeline_lag_seconds",
        "vigil_alert_lag_seconds", "vigil_stress_lag_seconds", "vigil_timeline_batch_observations", "vigil_bus_batch_messages",
        "vigil_timeline_commit_seconds", "vigil_bus_settle_seconds", "vigil_bus_reconnects_total", "vigil_ingest_outbox_batches",
        "vigil_bus_in_flight", "vigil_ingest_readings_refused_total",
    ]

    @Test("every metric that is promised, drawn on the dashboard or named in an alert rule exists and says what it is")
    func names() async throws {
        let suite = try await RunningSuite()
        let help = try await helpTexts(suite)
        for name in try Set(Self.promised).union(named("prometheus/rules.yml")).union(named("grafana/dashboards/vigil.json")) {
            #expect(help[name, default: ""].count > 10, "\(name) is shown nowhere, or without words")
        }
        #expect(try await suite.interrupt() == 0)
    }

    /// The metrics of all services of the suite, with what each says that it is.
    private func helpTexts(_ suite: RunningSuite) async throws -> [String: String] {
        let client = HTTPClient()
        var help: [String: String] = [:]
        for index in Suite.services.indices {
            let answer = try await client.get("http://127.0.0.1:\(suite.healthPort + index)/metrics")
            for line in String(decoding: answer.body, as: UTF8.self).split(separator: "\n") where line.hasPrefix("# HELP ") {
                let words = line.split(separator: " ", maxSplits: 3)
                help[String(words[2])] = String(words[3])
            }
        }
        return help
    }

    /// The metrics that a file of `deploy/monitoring` names; a histogram's parts stand for it.
    private func named(_ file: String) throws -> Set<String> {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/monitoring/\(file)")
        let text = try String(contentsOf: path, encoding: .utf8)
        return Set(text.matches(of: /vigil_[a-z_]+/).map { String($0.output).replacing(/_(bucket|sum|count)$/, with: "") })
    }
}
