/// The channels of usual monitors, with the variability and the artefacts of their kind.
///
/// Heart rate: slow variation of 3–4 /min at rest; saturation within 1 %, a cuff or movement 1–2 times an hour; breathing
/// disturbed by talking. Sizes after the resting phases of the recorded stress study and BIDMC, rounded.
extension VitalChannel {
    package static func heartRate(
        _ points: [Point], each interval: Double = 5, from source: String = "ecg", deviation: Double = 3.5, timescale: Double = 60
    ) -> VitalChannel {
        var channel = VitalChannel("heart-rate", from: source, each: interval, in: 20...300)
        channel.path = points
        channel.noise = Noise(deviation: deviation, timescale: timescale, jitter: 1)
        channel.artefacts = [Artefacts(perHour: 0.3, seconds: 5...25, shift: -35...60)]
        channel.activityGain = 38
        return channel
    }

    package static func saturation(_ points: [Point], each interval: Double = 5, from source: String = "clip") -> VitalChannel {
        var channel = VitalChannel("oxygen-saturation", from: source, each: interval, in: 50...100)
        channel.path = points
        channel.noise = Noise(deviation: 0.8, timescale: 90, jitter: 0.3)
        channel.artefacts = [Artefacts(perHour: 1, seconds: 8...45, shift: -14 ... -4)]
        channel.activityGain = -1.5
        return channel
    }

    package static func breathing(_ points: [Point], each interval: Double = 10, from source: String = "belt") -> VitalChannel {
        var channel = VitalChannel("respiration-rate", from: source, each: interval, in: 2...80)
        channel.path = points
        channel.noise = Noise(deviation: 1.6, timescale: 120, jitter: 0.6)
        channel.artefacts = [Artefacts(perHour: 1.5, seconds: 20...80, shift: 5...13)]
        channel.activityGain = 9
        return channel
    }

    package static func temperature(_ points: [Point], each interval: Double = 300, from source: String = "patch") -> VitalChannel {
        var channel = VitalChannel("body-temperature", from: source, each: interval, in: 25...45)
        channel.path = points
        channel.noise = Noise(deviation: 0.12, timescale: 1800, jitter: 0.05)
        channel.step = 0.1
        return channel
    }

    /// Both pressures of one cuff.
    package static func cuff(_ systolic: [Point], _ diastolic: [Point], each interval: Double) -> [VitalChannel] {
        [("systolic-pressure", systolic, 40.0...300), ("diastolic-pressure", diastolic, 20.0...200)].map { metric, path, range in
            var channel = VitalChannel(metric, from: "cuff", each: interval, in: range)
            channel.path = path
            channel.noise = Noise(deviation: 5, timescale: 1200, jitter: 3)
            return channel
        }
    }

    package static func glucose(_ points: [Point]) -> VitalChannel {
        var channel = VitalChannel("blood-glucose", from: "cgm", each: 300, in: 10...800)
        channel.path = points
        channel.noise = Noise(deviation: 4, timescale: 900, jitter: 1.5)
        return channel
    }

    /// Texts such as a carer's observations or the rhythm of each minute.
    package static func text(
        _ metric: String, _ texts: [(time: Double, text: String)], each interval: Double, from source: String
    ) -> VitalChannel {
        var channel = VitalChannel(metric, from: source, each: interval, in: 0...0)
        channel.texts = texts
        return channel
    }
}
