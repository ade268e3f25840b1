import VigilSchema

/// The participants, sources and sessions of a file, each combination numbered in the order of its first row.
struct Subjects {
    /// Who, by what, in which session.
    struct Subject: Hashable, Sendable {
        var participant: String
        var source: String
        var session: String?
        var partition: Partition
        /// Numbers (participant, source), to which times belong whatever the session.
        var series: Int
    }

    private struct Key: Hashable {
        let participant: String
        let source: String
        let session: String?
    }

    /// All of them.
    private(set) var all: [Subject] = []
    private var places: [Key: Int] = [:]
    private var series: [Key: Int] = [:]

    /// The place of the combination.
    mutating func place(participant: String, source: String, session: String?) -> Int {
        let key = Key(participant: participant, source: source, session: session)
        if let known = places[key] { return known }
        let seriesKey = Key(participant: participant, source: source, session: nil)
        let number = series[seriesKey] ?? series.count
        series[seriesKey] = number
        all.append(
            Subject(
                participant: participant, source: source, session: session, partition: Partition(participant: participant), series: number))
        places[key] = all.count - 1
        return all.count - 1
    }
}
