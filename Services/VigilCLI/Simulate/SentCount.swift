import Synchronization

/// How much a broker has acknowledged. Threading: from anywhere.
final class SentCount: Sendable {
    private let counts = Mutex((messages: 0, observations: 0))

    var messages: Int { counts.withLock { $0.messages } }
    var observations: Int { counts.withLock { $0.observations } }

    func add(observations: Int) {
        counts.withLock { counts in
            counts.messages += 1
            counts.observations += observations
        }
    }
}
