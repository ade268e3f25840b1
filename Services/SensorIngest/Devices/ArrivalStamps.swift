import MessageBus
import Synchronization
package import VigilSchema

/// The times given to messages that bring none, kept until ten minutes after each was acknowledged, so that one that is delivered again gets the same.
///
/// A message is known again by the broker's number of the delivery and a digest of what it says. What is pending is on disk before anything of
/// it is published (`Outbox.keep`). An acknowledgement that has left may still be lost with the connection, and a broker that is killed forgets
/// those of its last seconds: then what was settled comes once more. Threading: from anywhere. Bounded: beyond `capacity` the oldest are forgotten.
/// What was acknowledged is forgotten sooner, long before the broker uses a number again: it counts to 65,535, and then begins anew.
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
        /// Of every message that may come again.
        var pending: [Key: Timestamp]
        /// Those of them that are not acknowledged.
        var open: Set<Key> = []
        var settled: [Key] = []
        /// The messages of the delivery that was settled last, and of all that were acknowledged; also those that brought a time.
        var settledCount = 0
        var count = 0
        /// What was acknowledged, the oldest first from `first` on.
        var acknowledged: [Acknowledged] = []
        var first = 0
        /// To be removed from the disk.
        var stale: [Key] = []
    }

    fileprivate struct Acknowledged {
        let key: Key
        let stamp: Timestamp
        let moment: ContinuousClock.Instant
        /// The number of messages that were acknowledged until then.
        let count: Int
    }

    /// The time for which what was acknowledged may come again, and the most messages that are acknowledged after it meanwhile.
    private static let grace = Duration.seconds(600)
    fileprivate static let mostAfter = 20_000

    private let state: Mutex<State>
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter pending: As the process before left them.
    package init(
        pending: [Key: Timestamp] = [:], capacity: Int = 20_000, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        state = Mutex(State(pending: pending, open: Set(pending.keys)))
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
            state.open.formUnion(stamps.keys)
            let excess = state.pending.count - capacity
            guard excess > 0 else { return }
            for (key, _) in state.pending.sorted(by: { $0.value < $1.value }).prefix(excess) { state.remove(key) }
        }
    }

    /// Notes that a delivery is about to be acknowledged.
    /// - Parameter messages: The number of its messages, with a time or without.
    package func settled(_ stamps: [Key: Timestamp], messages: Int) {
        state.withLock { ($0.settled, $0.settledCount) = (Array(stamps.keys), messages) }
    }

    /// Notes that the acknowledgements of the delivery that was settled last have left.
    package func acknowledged() {
        let moment = now()
        state.withLock { state in
            state.count += state.settledCount
            state.close(state.settled, at: moment)
            (state.settled, state.settledCount) = ([], 0)
            state.forget(before: moment - Self.grace, most: capacity / 4)
        }
    }

    /// Notes a connection. With the session, what the broker still has of before comes now, and else nothing of it ever: its numbers begin anew.
    package func connected(keepingSession: Bool) {
        let moment = now()
        state.withLock { state in
            guard !keepingSession else { return state.close(Array(state.open), at: moment) }
            state.stale += state.pending.keys
            (state.pending, state.open, state.settled, state.settledCount) = ([:], [], [], 0)
            (state.acknowledged, state.first) = ([], 0)
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
    /// Lets stamps be forgotten in time, unless their messages come again.
    fileprivate mutating func close(_ keys: [ArrivalStamps.Key], at moment: ContinuousClock.Instant) {
        for key in keys where open.remove(key) != nil {
            if let stamp = pending[key] { acknowledged.append(.init(key: key, stamp: stamp, moment: moment, count: count)) }
        }
    }

    /// Forgets what was acknowledged before a moment, and more where there is too much.
    fileprivate mutating func forget(before moment: ContinuousClock.Instant, most: Int) {
        while first < acknowledged.count {
            let oldest = acknowledged[first]
            let isTooMuch = acknowledged.count - first > most || count - oldest.count > ArrivalStamps.mostAfter
            guard oldest.moment < moment || isTooMuch else { break }
            first += 1
            // It may be under way again, or another message may have the number by now, with a stamp of its own.
            if pending[oldest.key] == oldest.stamp, !open.contains(oldest.key) { remove(oldest.key) }
        }
        guard first > 1_000, first > acknowledged.count / 2 else { return }
        acknowledged.removeFirst(first)
        first = 0
    }

    fileprivate mutating func remove(_ key: ArrivalStamps.Key) {
        pending[key] = nil
        open.remove(key)
        stale.append(key)
    }
}
