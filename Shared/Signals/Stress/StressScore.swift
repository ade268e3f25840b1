#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How aroused a person is, 0 to 1, and what it is made of. An index of arousal, not a diagnosis.
package struct StressScore: Hashable, Sendable {
    /// 0…1; nil where no input could be used.
    package var level: Double?
    /// What the heart contributes before weighting, 0…1.
    package var heart: Double?
    /// What the skin conductance contributes before weighting, 0…1.
    package var skin: Double?
    /// What the breathing contributes before weighting, 0…1.
    package var breath: Double?
    /// What the temperature contributes before weighting, 0…1.
    package var warmth: Double?
    /// Whether it is measured against the person's own rest or bounds rather than against an average adult's.
    package var isCalibrated: Bool

    /// The score of what was measured.
    /// - Parameters:
    ///   - baseline: the person at rest; nil as long as it is unknown.
    ///   - bounds: the person's bounds for the base and built modes, where they were given; else they follow from the rest.
    package init(_ inputs: StressInputs, mode: StressMode, baseline: StressBaseline?, bounds: StressBounds? = nil) {
        isCalibrated = baseline != nil || (bounds != nil && mode != .enhanced)
        let rest = (bounds ?? StressBounds()).completed(by: baseline?.bounds ?? StressBounds()).completed(by: .population)
        switch mode {
        case .base: setBase(inputs, rest)
        case .built: setBuilt(inputs, rest)
        case .enhanced: setEnhanced(inputs, baseline ?? .population)
        }
    }

    private mutating func setBase(_ inputs: StressInputs, _ bounds: StressBounds) {
        heart = Self.place(inputs.heartRate, bounds.heartRate)
        breath = Self.place(inputs.breathingRate, bounds.breathingRate)
        skin = Self.place(inputs.skinConductance, bounds.skinConductance)
        level = Self.mean([(heart, 1), (breath, 1), (skin, 1)])
    }

    private mutating func setBuilt(_ inputs: StressInputs, _ bounds: StressBounds) {
        skin = Self.place(inputs.skinConductance, bounds.skinConductance)
        warmth = Self.place(inputs.temperature, bounds.temperature)
        level = Self.mean([(skin, 1), (warmth, 1)])
    }

    /// The weights and widths are those that did best, calibrated at rest, on WESAD and Stress-Predict.
    private mutating func setEnhanced(_ inputs: StressInputs, _ rest: StressBaseline) {
        if let value = inputs.heartRate, let own = rest.heartRate { heart = Self.clip((value - own + 5) / 40) }
        if let value = inputs.skinConductance, let own = rest.skinConductance, value > 0, own > 0 {
            skin = Self.clip((log(value) - log(own) + 0.2) / 1.2)
        }
        if let value = inputs.breathingRate, let own = rest.breathingRate {
            breath = inputs.breathesIrregularly ? 0 : Self.clip((value - own + 4) / 16)
        }
        // Breathing alone says too little.
        level = heart == nil && skin == nil ? nil : Self.mean([(heart, 0.5), (skin, 0.4), (breath, 0.1)])
    }

    private static func place(_ value: Double?, _ bounds: ClosedRange<Double>?) -> Double? {
        guard let value, let bounds, bounds.upperBound > bounds.lowerBound else { return nil }
        return clip((value - bounds.lowerBound) / (bounds.upperBound - bounds.lowerBound))
    }

    private static func clip(_ value: Double) -> Double { min(max(value, 0), 1) }

    private static func mean(_ parts: [(value: Double?, weight: Double)]) -> Double? {
        var (sum, weights) = (0.0, 0.0)
        for case (let value?, let weight) in parts {
            sum += value * weight
            weights += weight
        }
        return weights > 0 ? sum / weights : nil
    }
}
