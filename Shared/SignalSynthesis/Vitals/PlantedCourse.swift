/// A course with a deterioration in it, and when alarm rules ought to have told somebody.
package struct PlantedCourse: Sendable {
    package var course: VitalCourse
    /// When the deterioration counts as begun, in seconds after the course's start.
    package var onset: Double
    /// The latest acceptable first alarm, in seconds after the onset; negative: before it.
    package var goal: Double
    /// Whether every course must meet the goal, or only the median.
    package var isGoalForAll: Bool
    /// Where the goal comes from.
    package var source: String
}

/// The vital signs of somebody who lies in a ward, changed where a course says so.
struct WardSigns {
    /// The hour of quiet before anything happens, in seconds.
    static let quiet = 3600.0

    var heartRate = steady(82)
    var heartRateDeviation = 3.5
    /// Independent from beat to beat rather than slow, as in fibrillation.
    var heartRateTimescale = 60.0
    var saturation = steady(97)
    var breathing = steady(16)
    var temperature = steady(36.9)
    var systolic = steady(124)
    var diastolic = steady(76)
    var cuffInterval = 1800.0
    var oxygen = steady(0)
    var consciousness: [(time: Double, text: String)] = [(0, "alert")]
    var consciousnessInterval = 4 * 3600.0

    func course(_ name: String, _ person: VitalCourse.Person = .init(), hours: Double, more: [VitalChannel] = []) -> VitalCourse {
        var oxygenChannel = VitalChannel("supplemental-oxygen", from: "ward", each: 3600, in: 0...1)
        oxygenChannel.path = oxygen
        var channels: [VitalChannel] = [
            .heartRate(heartRate, deviation: heartRateDeviation, timescale: heartRateTimescale),
            .saturation(saturation), .breathing(breathing), .temperature(temperature), oxygenChannel,
            .text("consciousness", consciousness, each: consciousnessInterval, from: "ward"),
        ]
        channels += VitalChannel.cuff(systolic, diastolic, each: cuffInterval)
        return VitalCourse(name, person, length: hours * 3600, channels + more)
    }

    static func steady(_ value: Double) -> [VitalChannel.Point] { [.init(0, value)] }

    /// Constant, then a straight change that begins with the end of the quiet hour.
    static func change(_ from: Double, to end: Double, over minutes: Double, after delay: Double = 0) -> [VitalChannel.Point] {
        [.init(quiet + delay * 60, from), .init(quiet + (delay + minutes) * 60, end)]
    }

    /// Constant, a sudden change, and back after some seconds.
    static func episode(_ from: Double, _ to: Double, seconds: Double) -> [VitalChannel.Point] {
        [.init(quiet - 1, from), .init(quiet, to), .init(quiet + seconds, to), .init(quiet + seconds + 1, from)]
    }
}
