import Foundation
import SignalSynthesis
import VigilSchema

/// A synthetic family: Anna is well, Ben's temperature rises, Cy's sensor falls off and comes back. Nobody of them exists.
struct DemoPerson: Sendable {
    /// The course of the person's health while the demo runs.
    enum Course: Sendable { case well, fever, sensorFallsOff }

    let id: String
    let profile: ParticipantProfile
    let course: Course
    let seed: UInt64
    /// At rest: heart rate, temperature, systolic and diastolic pressure, weight.
    let usual: (heart: Double, temperature: Double, systolic: Double, diastolic: Double, weight: Double)

    static func family(zone: String) -> [DemoPerson] {
        [
            DemoPerson(
                id: "anna", profile: profile("Anna", "1991-04-12", .female, 1, zone), course: .well, seed: 11,
                usual: (62, 36.6, 118, 76, 64)),
            DemoPerson(
                id: "ben", profile: profile("Ben", "1957-09-30", .male, 2, zone), course: .fever, seed: 23, usual: (71, 36.7, 134, 84, 82)),
            DemoPerson(
                id: "cy", profile: profile("Cy", "2001-01-05", .male, 3, zone), course: .sensorFallsOff, seed: 37,
                usual: (58, 36.5, 112, 70, 71)),
        ]
    }

    private static func profile(
        _ first: String, _ birth: String, _ sex: ParticipantProfile.Sex, _ order: Int, _ zone: String
    ) -> ParticipantProfile {
        ParticipantProfile(first: first, last: "Berg", birthDate: birth, sex: sex, timeZone: zone, group: "Family Berg", order: order)
    }

    /// The signals' source: the fever also makes the heart faster and the breath deeper.
    var wearer: SyntheticWearer {
        var rest = WearerState.rest
        rest.heartRate = usual.heart
        var ill = rest
        ill.heartRate = usual.heart + 42
        ill.breathingRate = 23
        let script =
            course == .fever
            ? WearerScript([.init("rising fever", seconds: 150, state: rest), .init("fever", seconds: 86_400, state: ill)])
            : WearerScript([
                .init("rest", seconds: 420, state: rest), .init("stress", seconds: 180, state: .stress),
                .init("recovery", seconds: 300, state: .recovery),
            ])
        return SyntheticWearer(seed: seed, script: script)
    }

    /// Returns whether the sensor is on the body; after 40 s Cy's is off for two minutes of every four.
    func isWorn(at second: Double) -> Bool {
        course != .sensorFallsOff || second < 40 || (second - 40).truncatingRemainder(dividingBy: 240) > 120
    }

    /// The numbers that a spot device measures beside the signals, so many seconds after the beginning.
    func numbers(at second: Double, time: Timestamp) -> [Observation] {
        let rise = course == .fever ? min(1, second / 150) : 0
        let wave = sin(second / 47)
        var numbers = [("oxygen-saturation", (course == .fever ? 97 - 5 * rise : 98) + wave * 0.6, "%")]
        if Int(second) % 10 == 0 { numbers.append(("body-temperature", usual.temperature + 3 * rise + wave * 0.05, "Cel")) }
        if Int(second) % 60 == 0 {
            numbers.append(("systolic-pressure", usual.systolic + wave * 4 - 14 * rise, "mm[Hg]"))
            numbers.append(("diastolic-pressure", usual.diastolic + wave * 3 - 6 * rise, "mm[Hg]"))
        }
        var observations = numbers.map { metric, value, unit in
            Observation(metric: metric, time: time, content: .value((value * 10).rounded() / 10), unit: unit)
        }
        if Int(second) % 60 == 0 {
            observations.append(Observation(metric: "consciousness", time: time, content: .text("alert"), unit: "1"))
        }
        if Int(second) % 60 == 0 {
            observations.append(Observation(metric: "supplemental-oxygen", time: time, content: .value(0), unit: "1"))
        }
        return observations
    }
}

/// A year behind a person of the demonstration: hourly heart rate, daily pressure, temperature, weight, steps and sleep.
struct DemoYear: Sendable {
    let person: DemoPerson

    /// Batches of at most a week each, earliest first, up to the moment.
    func batches(before end: Timestamp) -> [ObservationBatch] {
        var random = SplitMix(state: person.seed)
        return (0..<52).map { week in
            let observations = (0..<7).flatMap { day(week * 7 + $0, end, &random) }
            let group = ObservationGroup(participant: person.id, source: "demo-history", received: end, observations: observations)
            return ObservationBatch(id: ULID.make(at: end), groups: [group])
        }
    }

    private func day(_ day: Int, _ end: Timestamp, _ random: inout SplitMix) -> [Observation] {
        let start = end.advanced(bySeconds: Double(day - 364) * 86_400)
        // A season, a week, and a spring cold.
        let season = sin(Double(day) / 364 * 2 * .pi)
        let isIll = (180..<187).contains(day)
        var observations: [Observation] = []
        func add(_ metric: String, _ value: Double, _ unit: String, hour: Double, digits: Double = 1) {
            let scale = digits == 0 ? 1.0 : 10.0
            let time = start.advanced(bySeconds: hour * 3600 - 3600)
            guard time < end.advanced(bySeconds: -60) else { return }
            observations.append(
                Observation(metric: metric, time: time, content: .value((value * scale).rounded() / scale), unit: unit))
        }
        for hour in 0..<24 {
            let asleep = hour < 7 || hour > 22
            let awake: Double = 8 + 6 * sin(Double(hour) / 3)
            let illness: Double = isIll ? 1 : 0
            let heart: Double = person.usual.heart + (asleep ? -7 : awake) + 14 * illness + random.next(3)
            let breath: Double = 14 + (asleep ? -1 : 1) + 3 * illness + random.next(0.8)
            add("heart-rate", heart, "/min", hour: Double(hour), digits: 0)
            add("respiration-rate", breath, "/min", hour: Double(hour), digits: 0)
        }
        add("systolic-pressure", person.usual.systolic + season * 4 + random.next(4), "mm[Hg]", hour: 8, digits: 0)
        add("diastolic-pressure", person.usual.diastolic + season * 2 + random.next(3), "mm[Hg]", hour: 8, digits: 0)
        add("body-temperature", person.usual.temperature + (isIll ? 1.7 : 0) + random.next(0.15), "Cel", hour: 8)
        add("body-weight", person.usual.weight + season * 1.8 + random.next(0.3), "kg", hour: 7)
        add("steps", max(400, 7400 + season * -1500 + (isIll ? -5000 : 0) + random.next(1800)), "{steps}", hour: 22, digits: 0)
        add("sleep-minutes", 430 + random.next(35), "min", hour: 7.5, digits: 0)
        return observations
    }
}

/// A small generator whose numbers are the same each time, so that the demonstration's year stays one year.
struct SplitMix {
    var state: UInt64

    /// About normally distributed around 0, with this standard deviation.
    mutating func next(_ deviation: Double) -> Double {
        let sum = (0..<6).reduce(0.0) { sum, _ in sum + Double(bits() >> 11) / Double(1 << 53) }
        return (sum - 3) / 0.7071 * deviation
    }

    private mutating func bits() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
