import Foundation

/// The newest value of a metric.
public struct LatestValue: Hashable, Sendable, Codable {
    /// The metric's name.
    public var metric: String
    /// The UCUM unit.
    public var unit: String
    /// The device or service that it is from.
    public var source: String
    /// The time of it.
    public var time: Timestamp
    /// The number; nil for a text.
    public var value: Double?
    /// The text; nil for a number.
    public var text: String?
    /// The seconds, counted from the time, that it speaks for; nil for a moment.
    public var period: Int32?

    /// Makes a value.
    public init(
        metric: String, unit: String, source: String, time: Timestamp, value: Double?, text: String? = nil, period: Int32? = nil
    ) {
        self.metric = metric
        self.unit = unit
        self.source = source
        self.time = time
        self.value = value
        self.text = text
        self.period = period
    }

    /// Number or text, as an observation has it; nil where it has neither.
    public var content: Observation.Content? { value.map { .value($0) } ?? text.map { .text($0) } }
}

/// A reading as it is stored.
public struct StoredReading: Hashable, Sendable, Codable {
    /// The metric's name.
    public var metric: String
    /// The UCUM unit.
    public var unit: String
    /// The device or service that it is from.
    public var source: String
    /// The recording session, where it has one.
    public var session: String?
    /// The time of it.
    public var time: Timestamp
    /// The number that tells readings of one time apart.
    public var sequence: Int32
    /// The number; nil for a text.
    public var value: Double?
    /// The text; nil for a number.
    public var text: String?
    /// The time of receipt by the suite.
    public var received: Timestamp
    /// The wearer's minutes from UTC, where known.
    public var zone: Int16?
    /// The seconds, counted from the time, that it speaks for; nil for a moment.
    public var period: Int32?

    /// Makes a reading.
    public init(
        metric: String, unit: String, source: String, session: String? = nil, time: Timestamp, sequence: Int32 = 0, value: Double?,
        text: String? = nil, received: Timestamp, zone: Int16? = nil, period: Int32? = nil
    ) {
        self.metric = metric
        self.unit = unit
        self.source = source
        self.session = session
        self.time = time
        self.sequence = sequence
        self.value = value
        self.text = text
        self.received = received
        self.zone = zone
        self.period = period
    }

    /// Number or text, as an observation has it; nil where it has neither.
    public var content: Observation.Content? { value.map { .value($0) } ?? text.map { .text($0) } }
}

/// Some readings, and where the next ones start.
public struct ReadingsPage: Hashable, Sendable, Codable {
    /// The readings, earliest first.
    public var readings: [StoredReading]
    /// The place where the next page starts; nil: there are no more.
    public var next: ReadingsCursor?

    /// Makes a page.
    public init(readings: [StoredReading], next: ReadingsCursor? = nil) {
        self.readings = readings
        self.next = next
    }
}

/// A place between two readings; meaningful only to the store that gave it.
public struct ReadingsCursor: Hashable, Sendable, Codable {
    package var time: Timestamp
    package var metric: Int64
    package var source: Int64
    package var sequence: Int32

    package init(time: Timestamp, metric: Int64, source: Int64, sequence: Int32) {
        self.time = time
        self.metric = metric
        self.source = source
        self.sequence = sequence
    }

    /// Reads a request's `after`; nil where it is no place between readings.
    public init?(after text: String) {
        guard let cursor = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = cursor
    }

    /// The text of a request's `after`.
    public var after: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Four numbers always encode.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// A series in one step of a plot.
public struct SeriesBucket: Hashable, Sendable, Codable {
    /// The start of the step; where it holds one reading only, the time of that.
    public var time: Timestamp
    /// The number of readings.
    public var count: Int64
    /// The smallest of them.
    public var min: Double
    /// The largest of them.
    public var max: Double
    /// Their mean.
    public var mean: Double
    /// Their sum; of a counter (steps, distance) the total.
    public var sum: Double
    /// The earliest of them.
    public var first: Double
    /// The latest of them.
    public var last: Double

    /// Makes a step.
    public init(
        time: Timestamp, count: Int64, min: Double, max: Double, mean: Double, sum: Double, first: Double, last: Double
    ) {
        self.time = time
        self.count = count
        self.min = min
        self.max = max
        self.mean = mean
        self.sum = sum
        self.first = first
        self.last = last
    }
}

/// Equally spaced samples of one source.
public struct WaveformSegment: Hashable, Sendable, Codable {
    /// The device that they are from.
    public var source: String
    /// The time of the first sample.
    public var time: Timestamp
    /// Seconds from one sample to the next.
    public var period: Double
    /// The samples.
    public var samples: [Double]

    /// Makes a segment.
    public init(source: String, time: Timestamp, period: Double, samples: [Double]) {
        self.source = source
        self.time = time
        self.period = period
        self.samples = samples
    }
}

/// The smallest and the largest sample of one source in each of some steps without a gap.
public struct WaveformEnvelope: Hashable, Sendable, Codable {
    /// The device that they are from.
    public var source: String
    /// The start of the first step.
    public var time: Timestamp
    /// Seconds from one step to the next.
    public var step: Double
    /// The smallest sample of each step.
    public var low: [Double]
    /// The largest sample of each step.
    public var high: [Double]

    /// Makes an envelope.
    public init(source: String, time: Timestamp, step: Double, low: [Double], high: [Double]) {
        self.source = source
        self.time = time
        self.step = step
        self.low = low
        self.high = high
    }
}
