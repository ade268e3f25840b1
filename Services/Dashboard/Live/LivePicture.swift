import VigilSchema

/// The present picture of every participant: the newest values, the last seconds of waveforms, and the standing alerts. A value.
///
/// Bounded: per participant 200 metrics and 16 waveforms of twelve seconds in 4 MB; in all 20,000 participants and 24 MB of samples.
struct LivePicture {
    /// The newest value of a metric.
    struct Value {
        let time: Timestamp
        let source: String
        let content: Observation.Content
        let unit: String
    }

    /// A block of samples as it is sent on: whole numbers of 16 bits and their scale, in base64.
    struct Block {
        let metric: String
        let source: String
        let time: Timestamp
        let period: Double
        let samples: EncodedSamples
        let unit: String

        /// Its place among all blocks that came.
        var number = 0

        var end: Timestamp { time.advanced(bySeconds: period * Double(samples.count)) }
    }

    struct Person {
        var values: [String: Value] = [:]
        var waves: [String: [Block]] = [:]
        /// What the blocks of its waveforms take.
        var sampleBytes = 0
        var alerts: [String: AlertMessage] = [:]
        /// A Boolean value that indicates whether the timeline was asked for what came before.
        var isFilled = false
    }

    static let waveSeconds = 12.0
    private static let mostPeople = 20_000
    private static let mostMetrics = 200
    var people: [String: Person] = [:]
    var order = BlockOrder()

    /// Forgets a participant; false for one who is not known.
    mutating func forget(_ participant: String) -> Bool {
        guard let person = people.removeValue(forKey: participant) else { return false }
        order.forget(person)
        return true
    }

    /// Takes a value; false where an equal or newer one is known.
    mutating func take(_ value: Value, _ metric: String, of participant: String) -> Bool {
        guard known(participant) else { return false }
        if let old = people[participant]?.values[metric], old.time >= value.time { return false }
        guard let count = people[participant]?.values.count, count < Self.mostMetrics || people[participant]?.values[metric] != nil else {
            return false
        }
        people[participant]?.values[metric] = value
        return true
    }

    /// Takes an alert's present state; nil where it is over.
    mutating func take(_ alert: AlertMessage?, _ rule: String, of participant: String) {
        guard known(participant) else { return }
        people[participant]?.alerts[rule] = alert
    }

    /// Marks a participant as filled with what the timeline has; true the first time.
    mutating func fill(_ participant: String) -> Bool {
        guard known(participant), people[participant]?.isFilled == false else { return false }
        people[participant]?.isFilled = true
        return true
    }

    /// The timeline could not be asked: to be tried again.
    mutating func unfill(_ participant: String) { people[participant]?.isFilled = false }

    mutating func known(_ participant: String) -> Bool {
        if people[participant] != nil { return true }
        guard people.count < Self.mostPeople else { return false }
        people[participant] = Person()
        return true
    }
}
