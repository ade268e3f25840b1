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

/// The numbers of one message's readings that have a metric, time, interval and part in common, and say something different. A number is found in the
/// same time however many there are.
struct DistinctContents {
    private struct Identity: Hashable {
        let metric: String
        let time: Timestamp
        let interval: Int32
        let part: String?
    }

    /// The contents of one identity: mostly there is but the first.
    private struct Contents {
        var first: Observation.Content?
        var others: [Observation.Content: Int32] = [:]
        var count: Int32 = 0

        mutating func number(of content: Observation.Content, isOrdinal: Bool) -> Int32 {
            if !isOrdinal, let known = first == content ? 0 : others[content] { return known }
            let number = count
            if number == 0 { first = content } else if !isOrdinal { others[content] = number }
            count += 1
            return number
        }
    }

    private var known: [Identity: Contents] = [:]

    init(capacity: Int = 0) { known.reserveCapacity(capacity) }

    /// The number of a reading's content: a new one where it was not there yet.
    /// - Parameter isOrdinal: Whether each reading gets a new one, whatever it says.
    mutating func number(of reading: Observation, part: String?, isOrdinal: Bool = false) -> Int32 {
        let identity = Identity(metric: reading.metric, time: reading.time, interval: reading.interval, part: part)
        return known[identity, default: Contents()].number(of: reading.content, isOrdinal: isOrdinal)
    }
}
