/// The time for which a signal that came from a body has been a flat line: nobody knows whether its sensor is off, or the body stands still.
///
/// A value without I/O.
struct Flatness: Sendable, Codable {
    /// The last that was known of the body before; nil while the signal comes from one.
    private var since: Double?
    /// The time up to which it was flat.
    private var until = -Double.infinity

    /// Notes that the signal is flat at a time. It stays so until something comes from a body: a line that only trembles now and then is no other.
    /// - Parameter silence: the time since the last that came from the body.
    mutating func note(at time: Double, silence: Double) {
        since = since ?? time - silence
        until = max(until, time)
    }

    /// Ends it: something came from a body, or it is not known whether it did.
    mutating func end() { since = nil }

    /// The time for which the line has been flat; 0 for a minute after it ended, then nil.
    func seconds(at time: Double) -> Double? {
        if let since { return max(0, time - since) }
        return time < until + 60 ? 0 : nil
    }
}
