package import VigilSchema

/// What readings cost those who store and judge them, in units of one plain reading: a sender chooses it.
package enum WorkCost {
    /// The seconds' worth of a budget that may be used at once: a gateway that hands over an hour of a belt waits for nobody.
    static let burst = 15.0
    /// The devices' worth of budget that one participant's devices have together.
    static let devices = 4.0
    /// The samples that cost as much as a reading.
    private static let samples = 25

    /// The cost of an observation.
    package static func of(_ observation: Observation) -> Double {
        guard case .samples(let samples, _) = observation.content else { return 1 }
        return Double(1 + samples.count / Self.samples)
    }
}
