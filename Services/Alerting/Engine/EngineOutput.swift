/// What a call of the engine brought about, in order.
package struct EngineOutput: Sendable {
    package var events: [AlertEvent] = []
    package var derived: [DerivedObservation] = []
    /// Readings that were too old or too late to be judged.
    package var ignored = 0

    package init() {}

    package var isEmpty: Bool { events.isEmpty && derived.isEmpty }
}
