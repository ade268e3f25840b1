import MessageBus
import Synchronization
package import VigilSchema

/// The times given to messages that bring none, kept until each message is acknowledged, so that one that is delivered again gets the same.
///
/// A message is known again by the broker's number of the delivery and a digest of what it says. What is pending is on disk before anything of
/// it is published (`Outbox.keep`), and forgotten once its acknowledgement has left. Threading: from anywhere. Bounded: beyond `capacity` the
/// oldest are forgotten, as of sessions that the broker has ended.
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

    private struct State {
        var pending: [Key: Timestamp]
        var settled: [Key] = []
        /// To be removed from the disk.
        var stale: [Key] = []
    }

    private let state: Mutex<State>
    private let capacity: Int

    /// - Parameter pending: As the process before left them.
    package init(pending: [Key: Timestamp] = [:], capacity: Int = 20_000) {
        state = Mutex(State(pending: pending))
        self.capacity = capacity
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

    /// Notes that the acknowledgements of the delivery that was settled last have left: its messages do not come again.
    package func acknowledged() {
        state.withLock { state in
            for key in state.settled { state.pending[key] = nil }
            state.stale += state.settled
            state.settled = []
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
