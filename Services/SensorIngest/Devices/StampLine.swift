import VigilSchema

/// The times given to the readings of a device that bring none: each later than those before it, so that no two are one to the store.
///
/// Where the host's clock is set back by less than a minute, the times go on from the newest, and so are ahead of it for as long. Where it is
/// set back by more, they begin anew with the clock: a reading in the future would mislead for longer than that.
struct StampLine: Sendable, Hashable {
    /// How far a time may be ahead of the clock, in microseconds.
    private static let reach: Int64 = 60_000_000

    private var last: Timestamp?

    init() {}

    /// The time for what was received now: that of receipt, or a microsecond after the newest on either line.
    func next(received: Timestamp, beside other: StampLine) -> Timestamp {
        other.following(following(received, received: received), received: received)
    }

    /// The time itself, or a microsecond after the newest of this line.
    private func following(_ time: Timestamp, received: Timestamp) -> Timestamp {
        guard let last, time <= last, Self.reaches(last, from: received) else { return time }
        return Timestamp(microseconds: last.microseconds + 1)
    }

    /// Notes a time that was given, now or before: the message may come again.
    mutating func note(_ time: Timestamp, received: Timestamp) {
        guard Self.reaches(time, from: received) else { return }
        guard let last, Self.reaches(last, from: received) else { return self.last = time }
        self.last = max(last, time)
    }

    /// Notes the newest time of another line.
    mutating func note(_ other: StampLine, received: Timestamp) {
        if let time = other.last { note(time, received: received) }
    }

    /// A Boolean value that indicates whether a time is not so far ahead that the clock must have been set back since.
    private static func reaches(_ time: Timestamp, from received: Timestamp) -> Bool {
        time.microseconds - received.microseconds < reach
    }
}
