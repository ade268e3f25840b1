import AlertRules
import MessageBus
import VigilSchema

extension AlertCore {
    /// Forgets a participant: alerts, thresholds, profile and history, in memory and in the store; notifiers forget as soon as they are woken.
    /// - Returns: what takes the retained alerts back, with the account of what was removed.
    func erase(_ participant: String, now: ClockSample) throws -> (output: Output, wasKnown: Bool) {
        try whole(now) {
            pass(to: now, isHearing: false)
            // What was decided of others goes its way.
            var output = try commit(now: now)
            let place = memory.engine.erase(participant)
            if let place {
                memory.dirty.insert(place)
                memory.zones[place] = nil
                shown.forget(place)
            }
            transaction = AlertTransaction()
            // The state without the participant in place of the journal.
            output.messages += try commit([], now: now, isCheckpoint: true).messages
            output.erasure = (participant, try store.erase(participant: participant))
            feed.forget(participant)
            return (output, place != nil)
        }
    }
}

extension ShownAlerts {
    /// Forgets a participant's alerts.
    mutating func forget(_ participant: Int) {
        alerts[participant] = nil
        touched.remove(participant)
    }
}
