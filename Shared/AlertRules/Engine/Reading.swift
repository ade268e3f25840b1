/// A number of one metric at a moment, as the engine takes it.
package struct Reading: Hashable, Sendable {
    /// The metric's place in the rule set.
    package var metric: Int
    /// The time of measurement: microseconds since 1970.
    package var time: Int64
    /// The time of receipt by the suite: microseconds since 1970.
    package var received: Int64
    /// The number; for a text its place in the rule set's vocabulary, −1 for one that no rule knows.
    package var value: Double
    /// The number of its source, `source(named:)`; 0: not known.
    package var source: UInt32

    package init(metric: Int, time: Int64, received: Int64, value: Double, source: UInt32 = 0) {
        self.metric = metric
        self.time = time
        self.received = received
        self.value = value
        self.source = source
    }
}

/// The events that a call of the engine caused, in order.
package struct EngineOutput: Sendable {
    package var events: [AlertEvent] = []
    package var derived: [DerivedValue] = []
    /// Readings that were too old or too late to be judged.
    package var ignored = 0

    package init() {}

    package var isEmpty: Bool { events.isEmpty && derived.isEmpty }
}

/// The input and the effects of one call of the engine.
struct EngineStep {
    var participant = 0
    /// The engine's clock: moves on with processing time, but never leaps.
    var clock: Int64
    /// Wall time.
    var now: Int64
    /// An alert without events yet numbers them from the one after this.
    var sequenceFloor: UInt32 = 0
    var events: [AlertEvent] = []
    var derived: [DerivedValue] = []
    /// Readings that were too old or too late to be judged.
    var ignored = 0
}

/// A score or category that the engine worked out.
package struct DerivedValue: Hashable, Sendable {
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
