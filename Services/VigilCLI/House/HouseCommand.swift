import MessageBus
import Observability
import ServiceKit
import Settings
import VigilSchema

/// `vigil house`: shows people's numbers and alarms to the systems of a house, for as long as it runs.
enum HouseCommand {
    private static let prefix = Setting(
        "discovery-prefix",
        .text(accepts: "a topic without wildcards", placeholder: "TOPIC") { text in
            !text.isEmpty && text.utf8.count <= 100 && !text.contains { "+#\0".contains($0) }
                && !text.hasPrefix("vigil/")
        },
        default: "homeassistant", help: "The topic below which Home Assistant looks for entities.")
    private static let port = Setting(
        "prometheus-port", .port, default: 0,
        help: "The port at which Prometheus finds the newest values at /metrics; 0: none.")
    private static let host = Setting(
        "prometheus-host", .text, default: "127.0.0.1", help: "The address of that port.")
    private static let remove = Setting(
        "remove", .boolean, default: false, help: "Take the people's entities out again, and end.")

    static let command = Command(
        name: "house",
        summary:
            "shows people's newest numbers and alarms to Home Assistant and Prometheus, until it is ended",
        details: """
            Only the named people are shown, and whoever may read Home Assistant or that port sees them. Entities are retained discovery \
            messages that point at latest/… and alerts/…, which Home Assistant's account at the broker must be allowed to read: \
            vigil accounts add NAME --role subscriber --participant PARTICIPANT. vigil erase does not reach them; --remove does. \
            Numbers come only with vigil up --latest.
            """,
        settings: [prefix, port, host, remove] + BrokerSession.settings,
        operands: Operands("PARTICIPANT", count: 1...64, help: "The participants to show.")
    ) { invocation in
        let participants = Set(invocation.operands)
        if let odd = participants.first(where: { !Name.isValid($0) }) {
            throw CommandError(.usage, "\(odd.printable) is no participant's name")
        }
        let (prefix, session) = (
            try invocation[prefix], try BrokerSession(invocation, command: "house")
        )
        if try invocation[remove] { return try await take(out: participants, prefix, session) }
        let metrics = MetricsRegistry()
        let (host, port) = (try invocation[host], try invocation[port])
        _ = try await Interruption.stoppable {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if port > 0 {
                    let page = HTTPRoute("GET", "/metrics") { _ in
                        .text(metrics.render(), type: "text/plain; version=0.0.4; charset=utf-8")
                    }
                    group.addTask { try await HTTPServer(host: host, port: port, routes: [page]).run() }
                }
                group.addTask {
                    try await show(
                        HouseEntities(participants: participants, prefix: prefix, metrics: metrics),
                        participants, session)
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private static func show(
        _ entities: HouseEntities, _ participants: Set<String>, _ session: BrokerSession
    ) async throws {
        try await session.publishing { publisher in
            try await session.receiving(HouseEntities.subscriptions(participants)) { batches in
                var entities = entities
                for try await batch in batches {
                    for message in batch.messages {
                        if let discovery = entities.take(message) { try await publisher.publish(discovery) }
                    }
                    batch.settle(.committed)
                }
            }
        }
    }

    /// Empties the discovery topics that the broker has.
    private static func take(
        out participants: Set<String>, _ prefix: String, _ session: BrokerSession
    ) async throws {
        var removed = 0
        for participant in participants {
            let filters = ["\(prefix)/+/\(HouseEntities.node(participant))/+/config"]
            removed += try await RetainedSweep(
                session: session, participant: participant, filters: filters
            ).run().values.reduce(0, +)
        }
        print("\(removed) entities were taken out")
    }
}
