/// What one call of the engine works with and brings about.
struct EngineStep {
    var participant = 0
    /// The engine's clock: moves on with processing time, but never leaps.
    var clock: Int64
    /// Wall time.
    var now: Int64
    /// An alert without events yet numbers them from the one after this.
    var sequenceFloor: UInt32 = 0
    var events: [AlertEvent] = []
    var derived: [DerivedObservation] = []
    /// Readings that were too old or too late to be judged.
    var ignored = 0
}

/// A score or category that the engine worked out.
package struct DerivedObservation: Hashable, Sendable {
    /// A number or a text.
    package enum Content: Hashable, Sendable {
        case number(Double)
        case text(String)
    }

    package var participant: Int
    package var metric: String
    package var time: Int64
    package var content: Content

    package init(participant: Int, metric: String, time: Int64, content: Content) {
        self.participant = participant
        self.metric = metric
        self.time = time
        self.content = content
    }
}
