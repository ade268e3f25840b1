#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One vital sign of a synthetic course: its true path, and what a sensor or a carer makes of it.
package struct VitalChannel: Sendable {
    /// A point of a path; values between two points are interpolated linearly.
    package struct Point: Sendable {
        /// Seconds after the course's start.
        package var time: Double
        package var value: Double

        package init(_ time: Double, _ value: Double) {
            self.time = time
            self.value = value
        }
    }

    /// What separates a measured value from the true one.
    package struct Noise: Sendable {
        /// The standard deviation of the slow, autoregressive part, in the metric's unit.
        package var deviation = 0.0
        /// The time constant of the slow part, in seconds.
        package var timescale = 60.0
        /// The standard deviation of the part that is new with each value.
        package var jitter = 0.0

        package init(deviation: Double = 0, timescale: Double = 60, jitter: Double = 0) {
            self.deviation = deviation
            self.timescale = timescale
            self.jitter = jitter
        }
    }

    /// Stretches of wrong values: a cuff on the sensor's arm, talking, a loose electrode.
    package struct Artefacts: Sendable {
        package var perHour: Double
        /// The shortest and longest stretch, in seconds.
        package var seconds: ClosedRange<Double>
        /// The least and greatest error, in the metric's unit.
        package var shift: ClosedRange<Double>

        package init(perHour: Double, seconds: ClosedRange<Double>, shift: ClosedRange<Double>) {
            self.perHour = perHour
            self.seconds = seconds
            self.shift = shift
        }
    }

    package var metric: String
    package var source: String
    /// Seconds between two values.
    package var interval: Double
    /// The true values of a number, at rising times; empty for a text.
    package var path: [Point] = []
    /// The texts of a text metric, each from its time on.
    package var texts: [(time: Double, text: String)] = []
    package var noise = Noise()
    package var artefacts: [Artefacts] = []
    /// What full activity adds, in the metric's unit.
    package var activityGain = 0.0
    /// The smallest step of a reported value.
    package var step = 1.0
    /// What the metric's catalogue entry accepts.
    package var range: ClosedRange<Double>
    /// Nothing is reported outside of it.
    package var reported: Range<Double> = 0..<Double.infinity

    package init(_ metric: String, from source: String, each interval: Double, in range: ClosedRange<Double>) {
        self.metric = metric
        self.source = source
        self.interval = interval
        self.range = range
    }

    /// The true value at a time in seconds.
    package func truth(at time: Double) -> Double {
        guard let first = path.first, let last = path.last else { return 0 }
        if time <= first.time { return first.value }
        guard let next = path.firstIndex(where: { $0.time >= time }) else { return last.value }
        let (from, to) = (path[next - 1], path[next])
        return from.value + (to.value - from.value) * (time - from.time) / (to.time - from.time)
    }

    /// The text that holds at a time in seconds.
    func text(at time: Double) -> String? { texts.last { $0.time <= time }?.text }
}

/// A first-order autoregressive process of standard deviation 1.
struct AutoregressiveNoise {
    private let memory: Double
    private var value: Double

    init(interval: Double, timescale: Double, random: inout SeededGenerator) {
        memory = exp(-interval / max(timescale, 1e-9))
        value = random.normal()
    }

    mutating func next(_ random: inout SeededGenerator) -> Double {
        value = memory * value + (1 - memory * memory).squareRoot() * random.normal()
        return value
    }
}
