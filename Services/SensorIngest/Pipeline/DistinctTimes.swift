import VigilSchema

/// The times of one message's readings, no two of one metric being the same to the store.
///
/// A reading whose time is taken gets the next microsecond that is free. The way there is remembered, so that a message of very many takes no longer
/// for each.
struct DistinctTimes {
    /// The properties that tell readings of one message apart in the store.
    private struct Identity: Hashable {
        let metric: String
        let sequence: Int32
        let interval: Int32
        let part: String?
        var time: Timestamp
    }

    /// For a time that is taken, a later one that may be free.
    private var next: [Identity: Timestamp] = [:]

    var isEmpty: Bool { next.isEmpty }

    /// Moves a reading to the first time from its own on that none before it has.
    mutating func tellApart(_ located: inout ParsedObservation) {
        let observation = located.observation
        var identity = Identity(
            metric: observation.metric, sequence: observation.sequence, interval: observation.interval, part: located.part,
            time: observation.time)
        var taken: [Timestamp] = []
        while let later = next[identity] {
            taken.append(identity.time)
            identity.time = later
        }
        let free = identity.time
        for time in taken + [free] {
            identity.time = time
            next[identity] = Timestamp(microseconds: free.microseconds + 1)
        }
        if !taken.isEmpty { located.observation.time = free }
    }
}
