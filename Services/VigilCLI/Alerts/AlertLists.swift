import Alerting
import Foundation
import MessageBus
import Observability
import Settings
import Synchronization
import VigilSchema

/// `vigil alerts list` and `watch`.
enum AlertLists {
    static let language = Setting("language", .text, default: "en", help: "The language of messages: en, de or ru.")
    private static let settled = Setting(
        "settle", .duration(in: .milliseconds(50) ... .seconds(60)), default: .milliseconds(500),
        help: "How long the broker may take to send its retained messages.")

    static let list = Command(
        name: "list", summary: "shows every current alert, the worst first", settings: [language, settled] + BrokerSession.settings,
        operands: Operands("PARTICIPANT", count: 0...64, help: "The participants; all by default.")
    ) { invocation in
        let session = try BrokerSession(invocation, command: "alerts")
        let wanted = Set(invocation.operands)
        let (patience, language) = (try invocation[settled], try invocation[language])
        let alerts = try await retained(session, patience)
        let shown = alerts.filter { wanted.isEmpty || wanted.contains($0.participant) }
        for alert in shown { guard StandardOutput.line(line(alert, language)) else { return } }
        if shown.isEmpty { _ = StandardOutput.line("no alerts") }
    }

    static let watch = Command(
        name: "watch", summary: "shows every transition as it happens", details: "Ctrl-C ends it.",
        settings: [language] + BrokerSession.settings,
        operands: Operands("PARTICIPANT", count: 0...64, help: "The participants; all by default.")
    ) { invocation in
        let session = try BrokerSession(invocation, command: "alerts-watch")
        let (wanted, language) = (Set(invocation.operands), try invocation[language])
        _ = try await Interruption.stoppable {
            try await session.receiving([Subscription(Topic.Filter.alertEvents)]) { batches in
                for try await batch in batches {
                    defer { batch.settle(.committed) }
                    for message in batch.messages {
                        guard let event = try? AlertMessage(decoding: message.payload), wanted.isEmpty || wanted.contains(event.participant)
                        else { continue }
                        guard StandardOutput.line(AlertTools.line(event, language: language)) else { return }
                    }
                }
            }
        }
    }

    /// Collects the retained states that arrive within `patience`.
    private static func retained(_ session: BrokerSession, _ patience: Duration) async throws -> [AlertMessage] {
        let found = Retained()
        let isSubscribed = Latch()
        try await session.receiving([Subscription(Topic.Filter.alerts)], subscribed: { isSubscribed.open() }) { batches in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await found.collect(batches) }
                // MQTT does not say which retained message is the last: only a time in which none comes can end the wait.
                tasks.addTask {
                    await isSubscribed.wait()
                    var count: Int?
                    while count != found.count {
                        count = found.count
                        try await Task.sleep(for: patience)
                    }
                }
                try await tasks.next()
                tasks.cancelAll()
            }
        }
        let ranks = ["critical": 0, "warning": 1, "notice": 2]
        return found.all.sorted {
            (ranks[$0.severity] ?? 3, $0.since, $0.participant) < (ranks[$1.severity] ?? 3, $1.since, $1.participant)
        }
    }

    private static func line(_ alert: AlertMessage, _ language: String) -> String {
        var marks = alert.state == "none" ? [] : [alert.state]
        if let until = alert.clearedUntil { marks.append("ended by hand, quiet until \(moment(until))") }
        if alert.acknowledged { marks.append("acknowledged") }
        if alert.recovered { marks.append("recovered, latched") }
        if let until = alert.silencedUntil { marks.append("\(alert.silenced ? "silenced" : "silence") until \(moment(until))") }
        if alert.inhibited { marks.append("inhibited") }
        if alert.dataLost { marks.append("no data") }
        if alert.unconfirmed == true { marks.append("unconfirmed") }
        if marks.isEmpty { marks.append(alert.state) }
        return "\(AlertTools.line(alert, language: language))  (\(marks.joined(separator: ", ")))"
    }
}

extension AlertLists {
    private static func moment(_ time: Double) -> String { Date(timeIntervalSince1970: time).formatted(.iso8601) }
}

/// The newest state of each alert, by topic.
private final class Retained: Sendable {
    private let alerts = Mutex<[String: AlertMessage]>([:])
    private let received = Atomic(0)

    var all: [AlertMessage] { alerts.withLock { Array($0.values) } }
    /// The number of messages so far.
    var count: Int { received.load(ordering: .relaxed) }

    func collect(_ batches: MessageBatches) async throws {
        for try await batch in batches {
            received.add(batch.messages.count, ordering: .relaxed)
            for message in batch.messages {
                // An empty message says that the alert is over.
                let alert = try? AlertMessage(decoding: message.payload)
                alerts.withLock { $0[message.topic] = alert }
            }
            batch.settle(.committed)
        }
    }
}
