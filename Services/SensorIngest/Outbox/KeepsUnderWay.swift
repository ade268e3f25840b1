/// The batches that are on their way into the outbox's file, and the confirmations that wait until they are there.
///
/// A batch is kept and published side by side. The timeline may confirm it before the file has it; taken then, the confirmation would find
/// nothing, and the batch would stand in the file for the ten minutes after which it is published again.
struct KeepsUnderWay {
    /// How often each is being kept: a message that is delivered twice may be kept twice.
    private var counts: [String: Int] = [:]
    private var waiting: [CheckedContinuation<Void, Never>] = []

    mutating func begin(_ ids: [String]) {
        for id in ids { counts[id, default: 0] += 1 }
    }

    /// Ends the keeping of batches, whether they are in the file now or could not be kept, and wakes all that wait. Ids that were not
    /// announced are passed over.
    mutating func end(_ ids: [String]) {
        for id in ids {
            guard let count = counts[id] else { continue }
            counts[id] = count == 1 ? nil : count - 1
        }
        let woken = waiting
        waiting = []
        for waiter in woken { waiter.resume() }
    }

    func contains(anyOf ids: [String]) -> Bool { !counts.isEmpty && ids.contains { counts[$0] != nil } }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }
}
