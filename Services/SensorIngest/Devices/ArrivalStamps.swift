import MessageBus
import Synchronization
package import VigilSchema

/// The times given to messages that bring none, kept until ten minutes after each was acknowledged, so that one that is delivered again gets the same.
///
/// A message is known again by the broker's number of the delivery and a digest of what it says. What is pending is on disk before anything of
/// it is published (`Outbox.keep`). An acknowledgement that has left may still be lost with the connection, and a broker that is killed forgets
/// those of its last seconds: then what was settled comes once more, over the next connection. Within one, what was acknowledged never does, so that
/// whatever has its number is new.
///
/// A broker that counts its numbers up, as Mosquitto does, begins anew at 65,535; what was acknowledged is forgotten long before. One that gives every
/// message the lowest number that is free, as NATS does, would give that of a reading to the next one that says the same, which would be taken for the
/// first and lost. There what was acknowledged at once is forgotten at once, and what was acknowledged at all with the connection; such a broker speaks
/// MQTT 3.1.1, where it says of each message whether it has been sent before, or is found out by a number that comes twice.
/// Threading: from anywhere. Bounded: beyond `capacity` the oldest are forgotten.
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

        /// A message that says the same and was given a number so many before this one's.
        func preceding(_ count: Int) -> Key {
            let number = Int(packet) - count
            return Key(packet: UInt16(truncatingIfNeeded: number > 0 ? number : number + 65_535), digest: digest)
        }
    }

    /// What the messages of a delivery may be known by.
    package struct Known: Sendable {
        package var stamps: [Key: Timestamp] = [:]
        /// The connection over which they came.
        package var connection = 0
        /// A Boolean value that indicates whether it goes on with a session, in which messages may have waited.
        package var isResumed = false

        package init(stamps: [Key: Timestamp] = [:], connection: Int = 0, isResumed: Bool = false) {
            (self.stamps, self.connection, self.isResumed) = (stamps, connection, isResumed)
        }
    }

    fileprivate struct State {
        /// Of every message that may come again.
        var pending: [Key: Timestamp]
        /// Those of them that may come over this connection.
        var known: [Key: Timestamp]
        /// Those of them that are not acknowledged, and when they were noted.
        var open: [Key: ContinuousClock.Instant]
        var connection = 0
        var isResumed = false
        /// A Boolean value that indicates whether the broker gives a number again as soon as it is free.
        var reusesNumbers = false
        /// It was seen to give one twice.
        var wasFoundOut = false
        /// The numbers that were acknowledged over this connection, and how many messages had been until then.
        var numbers: [UInt16: Int] = [:]
        var settled: [Key] = []
        /// The messages of the deliveries that are settled, and of all that were acknowledged; also those that brought a time.
        var settledCount = 0
        var count = 0
        /// What may be forgotten in time, the oldest first from `first` on.
        var closed: [Closed] = []
        var first = 0
        /// To be removed from the disk.
        var stale: [Key] = []
    }

    fileprivate struct Closed {
        let key: Key
        let stamp: Timestamp
        let moment: ContinuousClock.Instant
        /// The number of messages that were acknowledged until then.
        let count: Int
        /// Its acknowledgement has left; else its connection was lost before.
        let isAcknowledged: Bool
    }

    /// The time for which what was acknowledged may come again, and the most messages that are acknowledged after it meanwhile.
    private static let grace = Duration.seconds(600)
    fileprivate static let mostAfter = 20_000
    /// What is acknowledged within it, no broker has sent once more meanwhile.
    fileprivate static let prompt = Duration.seconds(1)
    /// The age, in seconds, up to which what one process has noted means something where others have had the session since.
    private static let handOver = 60.0

    private let state: Mutex<State>
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter pending: As the process before left them.
    package init(
        pending: [Key: Timestamp] = [:], capacity: Int = 20_000, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        state = Mutex(State(pending: pending, known: pending, open: pending.mapValues { _ in now() }))
        self.capacity = capacity
        self.now = now
    }

    /// The stamps of messages that may come again.
    package var pending: [Key: Timestamp] { state.withLock { $0.pending } }

    /// Those of messages that may come now.
    package var known: Known { state.withLock { Known(stamps: $0.known, connection: $0.connection, isResumed: $0.isResumed) } }

    /// Notes stamps that were given.
    package func note(_ stamps: [Key: Timestamp]) {
        guard !stamps.isEmpty else { return }
        let moment = now()
        state.withLock { state in
            for (key, stamp) in stamps { state.note(key, stamp, at: moment) }
            let excess = state.pending.count - capacity
            guard excess > 0 else { return }
            for (key, _) in state.pending.sorted(by: { $0.value < $1.value }).prefix(excess) { state.remove(key) }
        }
    }

    /// Notes that a delivery is about to be acknowledged.
    /// - Parameters:
    ///   - messages: The number of its messages, with a time or without.
    ///   - connection: The one over which they came. Over another they cannot be acknowledged, and come again.
    package func settled(_ stamps: [Key: Timestamp], messages: Int, over connection: Int) {
        state.withLock { state in
            guard connection == state.connection else { return }
            state.settled += stamps.keys
            state.settledCount += messages
        }
    }

    /// Notes that the acknowledgements of what was settled have left.
    package func acknowledged() {
        let moment = now()
        state.withLock { state in
            state.count += state.settledCount
            for key in state.settled { state.acknowledge(key, at: moment) }
            (state.settled, state.settledCount) = ([], 0)
            state.forget(before: moment - Self.grace, most: capacity / 4)
        }
    }

    /// Notes a connection. With the session, what the broker still has of before comes now, and else nothing of it ever: its numbers begin anew.
    /// - Parameter reusesNumbers: True of a broker of MQTT 3.1.1, which may be one that does.
    package func connected(keepingSession: Bool, reusesNumbers: Bool = false) {
        let moment = now()
        state.withLock { state in
            state.connection += 1
            state.reusesNumbers = state.reusesNumbers || reusesNumbers || state.wasFoundOut
            (state.settled, state.settledCount, state.numbers) = ([], 0, [:])
            state.isResumed = keepingSession
            guard keepingSession else { return state.forgetAll() }
            if state.reusesNumbers { state.forgetAcknowledged() }
            for key in state.open.keys { state.close(key, at: moment, isAcknowledged: false) }
            state.known = state.pending
        }
    }

    /// Notes that this process takes a session over that others may have had meanwhile: their numbers say nothing of what it noted long ago.
    package func tookOver(at time: Timestamp) {
        let oldest = time.advanced(bySeconds: -Self.handOver)
        state.withLock { state in
            for (key, stamp) in state.pending where stamp < oldest { state.remove(key) }
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
    fileprivate mutating func note(_ key: ArrivalStamps.Key, _ stamp: Timestamp, at moment: ContinuousClock.Instant) {
        if let last = numbers[key.packet], count - last < ArrivalStamps.mostAfter { wasFoundOut = true }
        pending[key] = stamp
        known[key] = stamp
        open[key] = moment
    }

    /// Notes that the acknowledgement of a message has left.
    fileprivate mutating func acknowledge(_ key: ArrivalStamps.Key, at moment: ContinuousClock.Instant) {
        guard let noted = open[key] else { return }
        numbers[key.packet] = count
        if reusesNumbers, moment - noted < ArrivalStamps.prompt { return remove(key) }
        // After a long while such a broker may have sent it once more over the same connection, and says so.
        if !reusesNumbers { known[key] = nil }
        close(key, at: moment, isAcknowledged: true)
    }

    /// Lets a stamp be forgotten in time, unless its message comes again.
    fileprivate mutating func close(_ key: ArrivalStamps.Key, at moment: ContinuousClock.Instant, isAcknowledged: Bool) {
        open[key] = nil
        guard let stamp = pending[key] else { return }
        closed.append(.init(key: key, stamp: stamp, moment: moment, count: count, isAcknowledged: isAcknowledged))
    }

    /// Forgets what was closed before a moment, and more where there is too much.
    fileprivate mutating func forget(before moment: ContinuousClock.Instant, most: Int) {
        while first < closed.count {
            let oldest = closed[first]
            let isTooMuch = closed.count - first > most || count - oldest.count > ArrivalStamps.mostAfter
            guard oldest.moment < moment || isTooMuch else { break }
            first += 1
            forget(oldest)
        }
        guard first > 1_000, first > closed.count / 2 else { return }
        closed.removeFirst(first)
        first = 0
    }

    /// Forgets what was acknowledged.
    fileprivate mutating func forgetAcknowledged() {
        let rest = closed[first...]
        for message in rest where message.isAcknowledged { forget(message) }
        (closed, first) = (rest.filter { !$0.isAcknowledged }, 0)
    }

    private mutating func forget(_ message: ArrivalStamps.Closed) {
        // It may be under way again, or another message may have the number by now, with a stamp of its own.
        if pending[message.key] == message.stamp, open[message.key] == nil { remove(message.key) }
    }

    fileprivate mutating func forgetAll() {
        stale += pending.keys
        (pending, known, open) = ([:], [:], [:])
        (closed, first) = ([], 0)
    }

    fileprivate mutating func remove(_ key: ArrivalStamps.Key) {
        pending[key] = nil
        known[key] = nil
        open[key] = nil
        stale.append(key)
    }
}
