import MessageBus
import Synchronization
package import VigilSchema

/// The times given to messages that bring none, kept until a minute after each was acknowledged, so that one that is delivered again gets the same.
///
/// A message is known again by the broker's number of the delivery and a digest of what it says. What is pending is on disk before anything of
/// it is published (`Outbox.keep`). An acknowledgement that has left may still be lost with the connection, and a broker that is killed forgets
/// those of its last seconds: then what was settled comes once more. Threading: from anywhere. Bounded: beyond `capacity` the oldest are forgotten,
/// beyond a quarter of it the oldest that were acknowledged, long before the broker uses a number again.
package final class ArrivalStamps: Sendable {
    /// A message, as it is known again.
    package struct Key: Hashable, Sendable {
        package let packet: UInt16
        package let digest: UInt64

        package init(packet: UInt16, digest: UInt64) {
            self.packet = packet
            self.digest = digest
        }

        /// Nil for a message at QoS 0, which never comes again.
        init?(_ message: IncomingMessage) {
            guard message.packetID != 0 else { return nil }
            packet = message.packetID
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in message.topic.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0) &* 0x100_0000_01B3
            for byte in message.payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            digest = hash
        }
    }

    fileprivate struct State {
        var pending: [Key: Timestamp]
        var settled: [Key] = []
        /// What was acknowledged, the oldest first from `first` on.
        var acknowledged: [(key: Key, stamp: Timestamp, moment: ContinuousClock.Instant)] = []
        var first = 0
        /// To be removed from the disk.
        var stale: [Key] = []
    }

    /// The time for which what was acknowledged may come again.
    private static let grace = Duration.seconds(60)

    private let state: Mutex<State>
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter pending: As the process before left them.
    package init(
        pending: [Key: Timestamp] = [:], capacity: Int = 20_000, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        state = Mutex(State(pending: pending))
        self.capacity = capacity
        self.now = now
    }

    /// The stamps of messages that may come again.
    package var pending: [Key: Timestamp] { state.withLock { $0.pending } }

    /// Notes stamps that were given.
    package func note(_ stamps: [Key: Timestamp]) {
        guard !stamps.isEmpty else { return }
        state.withLock { state in
            state.pending.merge(stamps) { _, new in new }
            let excess = state.pending.count - capacity
            guard excess > 0 else { return }
            let oldest = state.pending.sorted { $0.value < $1.value }.prefix(excess).map(\.key)
            for key in oldest { state.pending[key] = nil }
            state.stale += oldest
        }
    }

    /// Notes that a delivery is about to be acknowledged.
    package func settled(_ stamps: [Key: Timestamp]) {
        state.withLock { $0.settled = Array(stamps.keys) }
    }

    /// Notes that the acknowledgements of the delivery that was settled last have left.
    package func acknowledged() {
        let moment = now()
        state.withLock { state in
            for key in state.settled {
                if let stamp = state.pending[key] { state.acknowledged.append((key, stamp, moment)) }
            }
            state.settled = []
            state.forget(before: moment - Self.grace, most: capacity / 4)
        }
    }

    /// Notes that the broker has forgotten the session: its numbers begin anew, and nothing of before comes again.
    package func sessionLost() {
        state.withLock { state in
            state.stale += state.pending.keys
            (state.pending, state.settled, state.acknowledged, state.first) = ([:], [], [], 0)
        }
    }

    /// The keys that are to be removed from the disk now.
    func takeStale() -> [Key] {
        state.withLock { state in
            defer { state.stale = [] }
            return state.stale.filter { state.pending[$0] == nil }
        }
    }
}

extension ArrivalStamps.State {
    /// Forgets what was acknowledged before a moment, and more where there is too much.
    fileprivate mutating func forget(before moment: ContinuousClock.Instant, most: Int) {
        while first < acknowledged.count, acknowledged[first].moment < moment || acknowledged.count - first > most {
            let (key, stamp, _) = acknowledged[first]
            first += 1
            // Another message may have the number by now, with a stamp of its own.
            guard pending[key] == stamp else { continue }
            pending[key] = nil
            stale.append(key)
        }
        guard first > 1_000, first > acknowledged.count / 2 else { return }
        acknowledged.removeFirst(first)
        first = 0
    }
}
