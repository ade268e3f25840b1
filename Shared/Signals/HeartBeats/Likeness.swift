/// How a piece of signal resembles a wearer's usual beat.
struct Likeness: Sendable {
    /// The usual beat's amplitude in it: 1 where it is as large as usual, 0 where it is not there at all.
    var gain: Float = 0
    /// The normalised correlation, up to 1.
    var correlation: Float = 0
    /// The energy that the usual beat does not explain, relative to the usual beat's.
    var residual: Float = 1
    /// Which of the usual beats it was.
    var template = 0
}
