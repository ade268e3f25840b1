import TimelineStore
import VigilSchema

/// 2017-01-19 15:36:22 UTC.
let start = Timestamp(seconds: 1_484_840_182)

/// A batch of one group.
func batch(
    _ observations: [Observation], participant: String = "12", source: String = "watch", session: String? = nil,
    received: Timestamp = start, origin: String? = nil
) -> ObservationBatch {
    ObservationBatch(
        id: "01JD", origin: origin,
        groups: [
            ObservationGroup(
                participant: participant, source: source, session: session, received: received, observations: observations)
        ])
}

/// A heart rate, `seconds` after the start.
func heartRate(_ value: Double, at seconds: Double = 0, sequence: Int32 = 0) -> Observation {
    Observation(
        metric: "heart-rate", time: start.advanced(bySeconds: seconds), sequence: sequence, content: .value(value), unit: "/min")
}

/// A note.
func note(_ text: String, at seconds: Double = 0) -> Observation {
    Observation(metric: "note", time: start.advanced(bySeconds: seconds), content: .text(text), unit: "1")
}

/// A block of an electrocardiogram, 250 samples a second.
func ecg(_ samples: [Double], at seconds: Double = 0, period: Double = 0.004) -> Observation {
    Observation(
        metric: "ecg", time: start.advanced(bySeconds: seconds), content: .samples(samples, period: period), unit: "mV")
}

extension SQLTimelineStore {
    /// Returns the number of rows of a table.
    func count(_ table: String, where condition: String = "true") async throws -> Int {
        try await read { connection throws(StoreError) in
            Int(try connection.rows("SELECT count(*) FROM \(table) WHERE \(condition)")[0].integer(0))
        }
    }
}

/// A linear congruential generator (Knuth's MMIX), so that a failing seed fails again.
struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
