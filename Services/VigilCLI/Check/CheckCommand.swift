import Cryptography
import Foundation
import MessageBus
import ServiceKit
import Settings
import Synchronization
import VigilSchema

/// `vigil check`: checks a deployment, and names the next step for each fault.
enum CheckCommand {
    static let expect = Setting(
        "expect", .list(of: .name), default: Suite.services.map(\.name), help: "The services that must be online.")
    static let roundTrip = Setting(
        "round-trip", .duration(in: .zero ... .seconds(600)), default: .seconds(15),
        help: "How long a reading may take from a device to the commit and its receipt; 0 omits this check.")

    static let command = Command(
        name: "check", summary: "checks a deployment and names the next step for each fault",
        details: """
            Checks that the broker answers and accepts messages, that every service is online, and that the \
            timeline commits a reading of a device. That reading is a note of the participant vigil-check. With \
            --nats-monitor and --patroni it also checks the engines of a cluster. Ends with 0 if all is well, \
            else with 1.
            """,
        settings: [expect, roundTrip, ClusterCheck.nats, ClusterCheck.patroni] + BrokerSession.settings
    ) { invocation in
        let session = try BrokerSession(invocation, command: "check")
        var report = CheckReport()
        await ClusterCheck(authorities: try invocation[CommonSettings.tlsAuthorities]).look(
            nats: try invocation[ClusterCheck.nats], patroni: try invocation[ClusterCheck.patroni], into: &report)
        let terms = BrokerTerms()
        await report.run("broker at \(session.address)") { try await brokerAnswers(session, terms) }
        if report.findings.last?.isWell == true {
            if let certificate = CertificateTime.finding(terms.certificate?.end, at: .now) { report.add(certificate) }
            let states = try await ServiceStates.read(session)
            for service in try invocation[expect] { report.add(states.finding(service)) }
            if let shares = states.sharesFinding(try invocation[expect]) { report.add(shares) }
            report.add(await DiskCheck.finding(session, try invocation[expect].filter(states.isOnline)))
            if states.isOnline("vigil-alert") { report.add(await NotifiersCheck.finding(session)) }
            let limit = try invocation[roundTrip]
            if limit > .zero { await report.run("a reading's way to the timeline") { try await roundTrip(session, limit) } }
        }
        StandardOutput.line(report.description)
        if !report.isWell { throw CommandError(.failure, "\(report.failures) of \(report.findings.count) checks failed") }
    }

    private static func brokerAnswers(_ session: BrokerSession, _ terms: BrokerTerms) async throws -> String {
        try await session.publishing(onEvent: terms.handle) { publisher in
            let topic = Topic.latest(participant: "vigil-check", metric: "note").path
            try await publisher.publish(OutgoingMessage(topic: topic, payload: []))
        }
        return try terms.verdict()
    }

    private static func roundTrip(_ session: BrokerSession, _ limit: Duration) async throws -> String {
        let observation = Observation(metric: "note", time: .now, content: .text("vigil check"), unit: "1")
        let sender = DeviceSender(
            topic: Topic.ingest(participant: "vigil-check", device: "vigil-check").path, wantsReceipt: true, patience: limit, spool: nil)
        let began = ContinuousClock.now
        let outcome = try await sender.send([[BatchEncoder.encode(observation)]], over: session)
        guard outcome.unconfirmed == 0 else {
            throw CommandError(
                .failure, "no receipt within \(limit); see the logs of vigil-ingest and vigil-timeline, and whether the database runs")
        }
        guard outcome.isComplete else { throw CommandError(.failure, outcome.description) }
        return "committed and confirmed after \(began.duration(to: .now).formatted(.units(allowed: [.milliseconds])))"
    }
}

/// The broker's limits at the connection.
private final class BrokerTerms: Sendable {
    private let state = Mutex<(told: ConnectionInfo?, lacks: [BrokerWarning])>((nil, []))

    func handle(_ event: BusEvent) {
        state.withLock { state in
            switch event {
            case .connected(let info): state.told = info
            case .brokerLacks(let what): state.lacks.append(what)
            default: break
            }
        }
    }

    /// The broker's certificate; nil without TLS.
    var certificate: Certificate? { state.withLock { $0.told.flatMap { Certificate(der: $0.certificate) } } }

    /// The limits as text.
    /// - Throws: `CommandError` if readings would be lost by them.
    func verdict() throws(CommandError) -> String {
        let (told, lacks) = state.withLock { $0 }
        for lack in lacks {
            switch lack {
            case .noQoS1, .noRetainedMessages, .smallPackets: throw CommandError(.failure, "\(lack)")
            default: continue
            }
        }
        guard let told else { return "answers and takes messages" }
        // An MQTT 3.1.1 broker reports no limits; NATS's are at its monitoring address.
        guard told.version == .v5 else { return "answers and takes messages, by MQTT 3.1.1, which tells no limits" }
        let size = told.maximumPacketSize.map { "\($0) bytes a packet" } ?? "packets of any size"
        return "answers and takes messages: MQTT 5, \(size), \(told.receiveMaximum) unacknowledged at once"
    }
}

/// The findings of `vigil check`.
struct CheckReport: Sendable, CustomStringConvertible {
    /// One check.
    struct Finding: Sendable, Equatable {
        let what: String
        let isWell: Bool
        /// The state, or the fault and the next step.
        let words: String
        /// Whether nothing is broken, but something is missing that most deployments want.
        var isWarning = false
    }

    private(set) var findings: [Finding] = []

    var failures: Int { findings.count { !$0.isWell } }
    var isWell: Bool { failures == 0 }

    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// Adds the check's result or error.
    mutating func run(_ what: String, _ check: () async throws -> String) async {
        do {
            add(Finding(what: what, isWell: true, words: try await check()))
        } catch {
            add(Finding(what: what, isWell: false, words: "\(error)"))
        }
    }

    var description: String {
        findings.map { "\($0.isWarning ? "warn  " : $0.isWell ? "ok    " : "FAILED") \($0.what): \($0.words)" }.joined(separator: "\n")
    }
}

/// `vigil ready`: the health check of containers, whose image has no other HTTP client.
enum ReadyCommand {
    static let command = Command(
        name: "ready", summary: "ends with 0 when the service in this environment is ready",
        details: """
            Asks /readyz on 127.0.0.1 at the port that --http-port or VIGIL_HTTP_PORT names.
            """,
        settings: [CommonSettings.httpPort]
    ) { invocation in
        let port = try invocation[CommonSettings.httpPort]
        guard port != 0 else { throw CommandError(.usage, "--http-port must say which port the service has") }
        guard await ReadyProbe.isReady(port) else { throw CommandError(.unavailable, "not ready") }
    }
}
