/// How far an electrocardiogram's beats can be trusted.
package struct ECGQuality: Hashable, Sendable {
    /// 0, not at all, to 1.
    package let index: Float
    /// What is wrong with the signal itself.
    package let fault: SignalFault?
    /// Whether it is a wave without beats: ventricular flutter, or rhythmic movement.
    package let isFlutter: Bool

    /// Below this nothing is derived from the beats.
    package static let usable: Float = 0.25

    /// Whether a rate may be derived.
    package var isUsable: Bool { index >= Self.usable }

    /// - Parameters:
    ///   - noise: the mean log energy between and in beats, see `NoiseContext`.
    ///   - agreement: how much the beats resemble the wearer's usual ones, up to 1.
    init(fault: SignalFault?, isFlutter: Bool, noise: Float, agreement: Float) {
        self.fault = fault
        self.isFlutter = isFlutter
        let calm = min(max((-0.6 - noise) / 1.5, 0), 1)
        let likeness = min(max((agreement - 0.5) / 0.4, 0), 1)
        let clipped: Float = fault == .clipped ? 0.5 : 1
        index = isFlutter || (fault != nil && fault != .clipped) ? 0 : calm * likeness * clipped
    }
}
