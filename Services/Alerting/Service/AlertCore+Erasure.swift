import AlertRules
import MessageBus
import VigilSchema

extension AlertCore {
    /// Erases a participant's alerts, thresholds, profile and history, in memory and in the store. Notifiers follow
    /// when they are woken.
    /// - Returns: the messages that remove the retained alerts, and the account of what was removed.
    func erase(_ participant: String, now: ClockSample) throws -> (output: Output, wasKnown: Bool) {
        try whole(now) {
            pass(to: now, isHearing: false)
            // Decisions about others are published as usual.
            var output = try commit(now: now)
            let index = memory.engine.erase(participant)
            if let index {
                memory.dirty.insert(index)
                memory.zones[index] = nil
                shown.forget(index)
            }
            transaction = AlertTransaction()
            // A checkpoint without the participant replaces the journal.
            output.messages += try commit([], now: now, isCheckpoint: true).messages
            output.erasure = (participant, try store.erase(participant: participant))
            feed.forget(participant)
            return (output, index != nil)
        }
    }
}

extension ShownAlerts {
    /// Removes a participant's alerts.
    mutating func forget(_ participant: Int) {
        alerts[participant] = nil
        touched.remove(participant)
    }
}
