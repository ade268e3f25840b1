import AlertRules
package import MessageBus
import VigilSchema

/// Provisional judging while nothing can be stored.
///
/// A core whose commit failed decides nothing until its state agrees with the disk again. Meanwhile a copy of the state
/// judges, and its critical alarms are published as unconfirmed. The copy is never stored. After the next successful
/// commit it is dropped, the messages are delivered again, and the same decisions get the same numbers.
extension AlertCore {
    /// Starts the copy from state that is ahead of the disk. Called when a commit has failed.
    func beginProvisional(_ now: ClockSample) {
        guard commits == nil else { return }
        health.failed(at: now)
        guard provisional == nil else { return }
        provisional = memory
        health.add(changes(now))
    }

    /// Lets the copy judge new messages and advances its time.
    package func judgeProvisionally(_ messages: [IncomingMessage], now: ClockSample) {
        guard var other = provisional else { return }
        let (saved, known) = (transaction, shown)
        swap(&memory, &other)
        transaction = AlertTransaction()
        pass(to: now, isHearing: !messages.isEmpty)
        for message in messages where Self.isObservation(message.topic) { take(message, now: now) }
        health.add(changes(now))
        swap(&memory, &other)
        provisional = other
        (transaction, shown) = (saved, known)
    }

    /// The changes of alerts that the present call found.
    private func changes(_ now: ClockSample) -> [AlertMessage] {
        transaction.output.events.map { event in
            AlertMessage(event, memory.engine.rules, participant: memory.engine.names[event.participant], decided: now.wall)
        }
    }

    private static let observations = "\(Topic.prefix)observations/"

    private static func isObservation(_ topic: String) -> Bool { topic.hasPrefix(observations) }
}
