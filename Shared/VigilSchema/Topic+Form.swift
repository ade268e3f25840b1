extension Topic {
    /// The way in which the topics of canonical observations name the participant's partition.
    ///
    /// A subscriber that wants every participant's takes both forms, as `Filter` gives them, and works with any deployment.
    public enum Form: Sendable, Hashable, CaseIterable {
        /// `observations/37/readings`: a deployment in which one process of each service does everything.
        case plain
        /// `observations/3/7/37/readings`: in front of the partition its number modulo 4 and modulo 16, so that the participants of one share of
        /// 4, 16 or 64 are one filter. The number of shares is not in it: who publishes need not know it.
        case shared

        /// The topic in this form, where it is one of canonical observations in another; any other as it is.
        public func applied(to path: String) -> String {
            guard path.hasPrefix(Self.observations) || path.hasPrefix(Self.history), let topic = try? Topic(parsing: path) else {
                return path
            }
            return topic.path(self)
        }

        /// The levels that name a partition.
        func levels(of partition: Partition) -> String {
            switch self {
            case .plain: partition.description
            case .shared: "\(partition.number % 4)/\(String(partition.number % 16, radix: 16))/\(partition)"
            }
        }

        private static let observations = "\(Topic.prefix)observations/"
        private static let history = "\(Topic.prefix)history/"
    }

    /// The topic in every form that it has, for whoever subscribes to it.
    public var paths: [String] {
        switch self {
        case .readings, .waveforms, .derived, .history: Form.allCases.map(path)
        default: [path]
        }
    }

    /// Reads the levels that name a partition, in either form.
    /// - Throws: `TopicError` for a partition that there is not, or that stands behind another's levels.
    static func partition(_ levels: ArraySlice<Substring>) throws(TopicError) -> Partition {
        guard let last = levels.last, let partition = Partition(last) else { throw TopicError("has a partition that is not 00 to 3f") }
        guard levels.count == 1 || Form.shared.levels(of: partition) == levels.joined(separator: "/") else {
            throw TopicError("has levels in front of the partition that are not its number modulo 4 and 16")
        }
        return partition
    }
}

extension Topic.Filter {
    /// The levels that stand for any partition, in each form.
    private static let everybody = ["+", "+/+/+"]

    /// All live numbers and texts, in either form.
    public static let readings = everybody.map { "vigil/v1/observations/\($0)/readings" }
    /// All live blocks of samples, in either form.
    public static let waveforms = everybody.map { "vigil/v1/observations/\($0)/waveforms" }
    /// All that is derived from live observations, in either form.
    public static let derived = everybody.map { "vigil/v1/observations/\($0)/derived" }
    /// All imported observations, in either form.
    public static let history = everybody.map { "vigil/v1/history/\($0)" }
    /// Live observations in the plain form, and imported ones: in a deployment with shares none of them should come.
    public static let plainObservations = ["vigil/v1/observations/+/+", "vigil/v1/history/+"]
}
