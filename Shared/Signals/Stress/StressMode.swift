/// How stress is computed. Chosen per participant.
package enum StressMode: String, CaseIterable, Sendable {
    /// The seed's formula: heart rate, breathing rate and skin conductance, each between a person's bounds, averaged.
    case base
    /// The variant of it that was built: skin conductance and skin temperature.
    case built
    /// Heart rate, the logarithm of skin conductance, and breathing, each against the person's own rest.
    case enhanced
}
