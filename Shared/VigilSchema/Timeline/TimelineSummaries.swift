/// A participant as a person.
public struct KnownPerson: Hashable, Sendable, Codable {
    /// The participant.
    public var participant: String
    /// What is known; nothing where nobody said anything.
    public var profile: ParticipantProfile

    /// Makes a person.
    public init(participant: String, profile: ParticipantProfile) { (self.participant, self.profile) = (participant, profile) }
}

/// The data stored of a metric of a participant.
public struct MetricSummary: Hashable, Sendable, Codable {
    /// The metric's name.
    public var metric: String
    /// The UCUM unit.
    public var unit: String
    /// The number of numbers and texts, or of blocks of samples; nil where it was not asked for.
    public var count: Int64?
    /// The time of the earliest.
    public var first: Timestamp
    /// The time of the latest.
    public var last: Timestamp
    /// A Boolean value that indicates whether it is a waveform.
    public var isWaveform: Bool

    /// Makes a summary.
    public init(metric: String, unit: String, count: Int64?, first: Timestamp, last: Timestamp, isWaveform: Bool) {
        self.metric = metric
        self.unit = unit
        self.count = count
        self.first = first
        self.last = last
        self.isWaveform = isWaveform
    }
}

/// A recording session.
public struct SessionSummary: Hashable, Sendable, Codable {
    /// The name that the device or file gave it.
    public var name: String
    /// The time of its first reading.
    public var first: Timestamp
    /// The time of its last reading.
    public var last: Timestamp

    /// Makes a summary.
    public init(name: String, first: Timestamp, last: Timestamp) {
        self.name = name
        self.first = first
        self.last = last
    }
}

/// A time in which a series has nothing.
public struct SeriesGap: Hashable, Sendable, Codable {
    /// The last reading before it, or the start of the range.
    public var from: Timestamp
    /// The first reading after it, or the end of the range.
    public var to: Timestamp

    /// Makes a gap.
    public init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = to
    }
}

/// One bar of a histogram.
public struct HistogramBin: Hashable, Sendable, Codable {
    /// `Monday`…`Sunday`, `00`…`23`, `2017-01-19`, the date of the week's Monday, `2017-01`.
    public var key: String
    /// The number of readings.
    public var count: Int64
    /// Their sum; for what counts over an interval (steps, distance) the total.
    public var sum: Double
    /// The smallest of them; nil where there are none.
    public var min: Double?
    /// The largest of them; nil where there are none.
    public var max: Double?
    /// Their mean; nil where there are none.
    public var mean: Double?

    /// Makes a bar.
    public init(key: String, count: Int64, sum: Double, min: Double?, max: Double?, mean: Double?) {
        self.key = key
        self.count = count
        self.sum = sum
        self.min = min
        self.max = max
        self.mean = mean
    }
}

/// The time that a page covers before its end.
public enum PageSpan: String, CaseIterable, Sendable, Codable {
    case day, week, month, year, decade
}

/// The bins of a histogram, on the wearer's clock.
public enum HistogramBinning: String, CaseIterable, Sendable, Codable {
    case weekday, hour, day, week, month
}
