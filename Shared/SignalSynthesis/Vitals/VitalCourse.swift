/// A synthetic person's vital signs over some hours or a day, as monitors, cuffs and carers report them.
///
/// The same seed gives the same values. Synthetic: for trying alarm rules, never for medical claims.
package struct VitalCourse: Sendable {
    /// What rules and scores know of the person.
    package struct Person: Hashable, Sendable {
        /// In years.
        package var age = 64.0
        package var isPregnant = false
        /// Whether NEWS2's second saturation scale applies.
        package var usesScale2 = false

        package init(age: Double = 64, isPregnant: Bool = false, usesScale2: Bool = false) {
            self.age = age
            self.isPregnant = isPregnant
            self.usesScale2 = usesScale2
        }
    }

    /// A reported value.
    package struct Sample: Sendable {
        /// Seconds after the course's start.
        package var time: Double
        package var metric: String
        package var source: String
        package var value: Double
        /// Nil for a number.
        package var text: String?
    }

    package var name: String
    package var person: Person
    package var channels: [VitalChannel]
    /// In seconds.
    package var length: Double
    /// Whether the person moves about: bouts of walking by day, quiet nights.
    package var isActive = false

    package init(_ name: String, _ person: Person = Person(), length: Double, _ channels: [VitalChannel]) {
        self.name = name
        self.person = person
        self.length = length
        self.channels = channels
    }

    /// Returns all reported values, earliest first.
    package func samples(seed: UInt64) -> [Sample] {
        var seeds = SeededGenerator(seed: seed)
        let activity = isActive ? VitalActivity(length: length, seed: seeds.next()) : nil
        let phase = seeds.uniform()
        let own = seeds.next()
        var samples: [Sample] = []
        for (index, channel) in channels.enumerated() {
            var reporter = ChannelReporter(channel, seed: own &+ UInt64(index) &* 0x9E37_79B9, length: length)
            // Channels of one source share their phase: a cuff reports both pressures at once.
            var time = phase * channel.interval
            while time < length {
                let sample = reporter.sample(at: time, activity: activity?.level(at: time) ?? 0)
                if channel.reported.contains(time), let sample { samples.append(sample) }
                time += channel.interval
            }
        }
        return samples.sorted { ($0.time, $0.metric) < ($1.time, $1.metric) }
    }
}

/// Turns one channel's true path into reported values.
private struct ChannelReporter {
    private let channel: VitalChannel
    private var random: SeededGenerator
    private var slow: AutoregressiveNoise
    private let errors: [(from: Double, to: Double, shift: Double)]

    init(_ channel: VitalChannel, seed: UInt64, length: Double) {
        self.channel = channel
        random = SeededGenerator(seed: seed)
        slow = AutoregressiveNoise(interval: channel.interval, timescale: channel.noise.timescale, random: &random)
        var errors: [(from: Double, to: Double, shift: Double)] = []
        for kind in channel.artefacts where kind.perHour > 0 {
            var time = random.wait(rate: kind.perHour / 3600)
            while time < length {
                let end = time + Self.between(kind.seconds, &random)
                errors.append((time, end, Self.between(kind.shift, &random)))
                time = end + random.wait(rate: kind.perHour / 3600)
            }
        }
        self.errors = errors
    }

    mutating func sample(at time: Double, activity: Double) -> VitalCourse.Sample? {
        if !channel.texts.isEmpty {
            return channel.text(at: time).map {
                VitalCourse.Sample(time: time, metric: channel.metric, source: channel.source, value: 0, text: $0)
            }
        }
        let noise = channel.noise.deviation * slow.next(&random) + channel.noise.jitter * random.normal()
        let error = errors.first { $0.from <= time && time < $0.to }?.shift ?? 0
        let measured = channel.truth(at: time) + activity * channel.activityGain + noise + error
        let rounded = (measured / channel.step).rounded() * channel.step
        let value = min(max(rounded, channel.range.lowerBound), channel.range.upperBound)
        return VitalCourse.Sample(time: time, metric: channel.metric, source: channel.source, value: value)
    }

    private static func between(_ range: ClosedRange<Double>, _ random: inout SeededGenerator) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * random.uniform()
    }
}
