import VigilSchema

/// What is remembered of a person's sensors once the clock of one was set back.
struct ClockTrouble: EmptyInitializable, Sendable {
    /// The receipt of what told last that a clock was set back and the analysis went on with it; nil for none.
    private(set) var setBack: Double?
    /// The receipt of what was passed over last as others' clocks are right; nil for none.
    var passedOver: Double?
    /// The newest time of which anything was told when a clock was set back behind it; nil for none.
    private var toldBefore: Double?
    /// How often that was.
    private var repetitions = 0

    /// Notes that the analysis begins anew, with a clock that was set back.
    mutating func beginAnew(behind received: Double, told: Double?) {
        (setBack, passedOver, toldBefore, repetitions) = (received, nil, told, repetitions + 1)
    }

    /// Notes that the analysis begins anew as a clock was ahead: what was told of times to come is to be replaced.
    mutating func beginAnew() { (setBack, passedOver, toldBefore) = (nil, nil, nil) }

    /// Returns whether something was told of a time already, before a clock was set back.
    func isRepeated(_ time: Double) -> Bool { toldBefore.map { time <= $0 } ?? false }

    /// Dates what a clock that was set back says of times of which other things were told a thousandth of a second later, so that it does not replace
    /// them; the next clock's another thousandth.
    func beside(_ observations: [Observation], of time: Double) -> [Observation] {
        guard isRepeated(time) else { return observations }
        return observations.map {
            var observation = $0
            observation.time = $0.time.advanced(bySeconds: Double(1 + (repetitions - 1) % 499) / 1000)
            return observation
        }
    }
}
