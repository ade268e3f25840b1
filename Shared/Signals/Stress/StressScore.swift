/// The method of computing stress. Chosen per participant.
package enum StressMode: String, CaseIterable, Sendable, Codable {
    /// The seed's formula: heart rate, breathing rate and skin conductance, each between a person's bounds, averaged.
    case base
    /// The variant of it that was built: skin conductance and skin temperature.
    case built
    /// Heart rate, the logarithm of skin conductance, and breathing, each against the person's own rest.
    case enhanced
}

/// The inputs of the stress score: medians over the last 60 s. Nil where a signal is missing or failed its quality check.
package struct StressInputs: Hashable, Sendable, Codable {
    /// Beats a minute.
    package var heartRate: Double?
    /// The slow level in µS.
    package var skinConductance: Double?
    /// Breaths a minute.
    package var breathingRate: Double?
    /// A Boolean value that indicates whether the breathing is irregular, as while speaking.
    package var breathesIrregularly: Bool
    /// Of the skin, °C.
    package var temperature: Double?

    /// Makes inputs.
    package init(
        heartRate: Double? = nil, skinConductance: Double? = nil, breathingRate: Double? = nil,
        breathesIrregularly: Bool = false, temperature: Double? = nil
    ) {
        self.heartRate = heartRate
        self.skinConductance = skinConductance
        self.breathingRate = breathingRate
        self.breathesIrregularly = breathesIrregularly
        self.temperature = temperature
    }
}

/// A person's least and greatest values, between which the base mode places a reading.
package struct StressBounds: Hashable, Sendable, Codable {
    /// Beats a minute.
    package var heartRate: ClosedRange<Double>?
    /// µS.
    package var skinConductance: ClosedRange<Double>?
    /// Breaths a minute.
    package var breathingRate: ClosedRange<Double>?
    /// °C.
    package var temperature: ClosedRange<Double>?

    /// Makes bounds.
    package init(
        heartRate: ClosedRange<Double>? = nil, skinConductance: ClosedRange<Double>? = nil,
        breathingRate: ClosedRange<Double>? = nil, temperature: ClosedRange<Double>? = nil
    ) {
        self.heartRate = heartRate
        self.skinConductance = skinConductance
        self.breathingRate = breathingRate
        self.temperature = temperature
    }

    /// The usual ranges of adults.
    package static let population = StressBounds(
        heartRate: 50...120, skinConductance: 0...20, breathingRate: 8...30, temperature: 28...36)

    /// These bounds, completed by others where there are none.
    package func completed(by other: StressBounds) -> StressBounds {
        StressBounds(
            heartRate: heartRate ?? other.heartRate, skinConductance: skinConductance ?? other.skinConductance,
            breathingRate: breathingRate ?? other.breathingRate, temperature: temperature ?? other.temperature)
    }
}

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A person at rest: medians over quiet minutes. What was not measured then is nil.
package struct StressBaseline: Hashable, Sendable, Codable {
    /// Beats a minute.
    package var heartRate: Double?
    /// The slow level in µS.
    package var skinConductance: Double?
    /// Breaths a minute.
    package var breathingRate: Double?
    /// Of the skin, °C.
    package var temperature: Double?

    /// Makes a baseline.
    package init(heartRate: Double?, skinConductance: Double?, breathingRate: Double?, temperature: Double? = nil) {
        self.heartRate = heartRate
        self.skinConductance = skinConductance
        self.breathingRate = breathingRate
        self.temperature = temperature
    }

    /// The medians of what was measured at rest; nil where neither heart rate nor skin conductance was.
    package init?(rest: [StressInputs]) {
        self.init(
            heartRate: Median.of(rest.compactMap(\.heartRate)), skinConductance: Median.of(rest.compactMap(\.skinConductance)),
            breathingRate: Median.of(rest.compactMap(\.breathingRate)), temperature: Median.of(rest.compactMap(\.temperature)))
        if heartRate == nil && skinConductance == nil { return nil }
    }

    /// An average adult, for as long as nothing is known of the person.
    package static let population = StressBaseline(heartRate: 72, skinConductance: 3, breathingRate: 15, temperature: 32)

    /// The bounds that follow from the rest for the base mode: as far below and above it as the enhanced mode looks.
    package var bounds: StressBounds {
        StressBounds(
            heartRate: heartRate.map { $0 - 5...$0 + 35 },
            skinConductance: skinConductance.map { exp(log(max($0, 0.01)) - 0.2)...exp(log(max($0, 0.01)) + 1) },
            breathingRate: breathingRate.map { $0 - 4...$0 + 12 },
            temperature: temperature.map { $0 - 2...$0 + 2 })
    }
}

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A person's arousal, 0 to 1, with its components. An index of arousal, not a diagnosis.
package struct StressScore: Hashable, Sendable {
    /// 0…1; nil where no input could be used.
    package var level: Double?
    /// The contribution of the heart before weighting, 0…1.
    package var heart: Double?
    /// The contribution of the skin conductance before weighting, 0…1.
    package var skin: Double?
    /// The contribution of the breathing before weighting, 0…1.
    package var breath: Double?
    /// The contribution of the temperature before weighting, 0…1.
    package var warmth: Double?
    /// A Boolean value that indicates whether it is measured against the person's own rest or bounds rather than against an average adult's.
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
