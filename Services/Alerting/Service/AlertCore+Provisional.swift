import AlertRules
package import MessageBus
import VigilSchema

/// Judging while nothing can be stored.
///
/// A core whose commit failed decides nothing more until its memory agrees with the disk again. Meanwhile a copy of the memory judges on, and what
/// it finds critical is told marked as unconfirmed. The copy is never stored: once a commit succeeds it is dropped, the messages come again, and
/// what was told is decided anew, under the same numbers.
extension AlertCore {
    /// Lets the copy go on from memory that is ahead of the disk. Called when a commit has failed.
    func beginProvisional(_ now: ClockSample) {
        guard commits == nil else { return }
        health.failed(at: now)
        guard provisional == nil else { return }
        provisional = memory
        health.add(urgentAlarms(now))
    }

    /// Has the copy judge messages, those that it knows already left out, and lets its time pass.
    package func judgeProvisionally(_ messages: [IncomingMessage], now: ClockSample) {
        guard var other = provisional else { return }
        let (saved, known) = (transaction, shown)
        swap(&memory, &other)
        transaction = AlertTransaction()
        pass(to: now, isHearing: !messages.isEmpty)
        for message in messages where Self.isObservation(message.topic) { take(message, now: now) }
        health.add(urgentAlarms(now))
        swap(&memory, &other)
        provisional = other
        (transaction, shown) = (saved, known)
    }

    /// What the present call found that cannot wait.
    private func urgentAlarms(_ now: ClockSample) -> [AlertMessage] {
        transaction.output.events.compactMap { event in
            let message = AlertMessage(
                event, memory.engine.rules, participant: memory.engine.names[event.participant], decided: now.wall)
            return message.isUrgent ? message : nil
        }
    }

    private static let observations = "\(Topic.prefix)observations/"

    private static func isObservation(_ topic: String) -> Bool { topic.hasPrefix(observations) }
}
