/// The time from one beat to the next, after correction.
package struct RRInterval: Hashable, Sendable {
    /// When it ended, in the caller's seconds.
    package var time: Double
    /// In milliseconds.
    package var milliseconds: Double
    /// What was wrong with the interval as measured.
    package var kind: Kind

    /// Makes an interval.
    package init(time: Double, milliseconds: Double, kind: Kind) {
        (self.time, self.milliseconds, self.kind) = (time, milliseconds, kind)
    }

    /// What an interval is.
    package enum Kind: Hashable, Sendable {
        /// As measured.
        case normal
        /// An early beat and its pause: replaced by the local median.
        case ectopic
        /// Too long or too short for its neighbours: replaced by the local median.
        case outlying
        /// A beat was missed in it: halved.
        case missedBeat
        /// A beat too many was found: joined with its neighbour.
        case extraBeat
    }
}
