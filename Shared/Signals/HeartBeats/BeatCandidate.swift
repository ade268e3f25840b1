/// A moment that may be a heart beat, with the evidence for and against it.
struct BeatCandidate: Sendable {
    /// Where its R peak would be, in samples.
    var position: Int64
    /// The deflection there, in the signal's unit.
    var deflection: Float
    /// The middle of its QRS in the filtered signal, in samples; lags the R peak by the filter's delay.
    var centre: Int64
    /// How it resembles the wearer's own beats.
    var likeness: Likeness
    /// How the first opinion found it; nil where only the second one sees it.
    var origin: RPeak.Origin?
    /// How noisy it was, see ``NoiseContext``.
    var noise: Float
    /// Whether the second opinion decides.
    var isNoisy: Bool

    /// The second opinion without the rhythm: the log of the odds that it is a beat.
    ///
    /// A logistic regression over the candidates of the 24 records in the open half of the MIT-BIH set, clean and with
    /// synthetic electrode noise at 12 and 6 dB.
    var logOdds: Float {
        let gain = Float.log(max(likeness.gain, 0.15))
        let residual = Float.log(likeness.residual + 1e-3)
        let found: Float = origin == nil ? 0 : 1
        let shape = 1.865 * gain - 2.473 * abs(gain) - 0.638 * likeness.correlation - 1.165 * residual
        let context = -0.899 * noise + found * (0.064 - 0.83 * noise) - 0.768 * gain * noise
        return shape + context + 0.853 * likeness.correlation * noise - 0.127
    }
}
