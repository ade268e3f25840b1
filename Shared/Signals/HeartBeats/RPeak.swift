/// A heart beat in an electrocardiogram.
package struct RPeak: Hashable, Sendable {
    /// The sample of the R peak, counted from the first sample that the detector was given.
    package var position: Int64
    /// Its deflection from the local baseline, in the signal's unit (mV), with its sign.
    package var amplitude: Float
    /// Which way it was found.
    package var origin: Origin

    /// How a beat was found.
    package enum Origin: Hashable, Sendable {
        /// Its energy passed the threshold.
        case threshold
        /// It was accepted later, because the rhythm left a hole.
        case searchBack
        /// The signal was noisy, and it has the shape and the place of the wearer's beats.
        case shape
    }
}
