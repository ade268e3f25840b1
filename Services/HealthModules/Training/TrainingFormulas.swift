import Foundation
import VigilSchema

/// Formulas of training.
package enum TrainingFormulas {
    /// 208 − 0.7 × age (H. Tanaka et al., J Am Coll Cardiol 37 (2001) 153): an average; a person may lie 20/min off.
    package static func maximalRate(age: Double) -> Double { 208 - 0.7 * age }

    /// The share of the heart-rate reserve, 0 to 1 (M. J. Karvonen et al., Ann Med Exp Biol Fenn 35 (1957) 307).
    package static func reserve(_ rate: Double, resting: Double, maximal: Double) -> Double {
        guard maximal > resting else { return 0 }
        return min(max((rate - resting) / (maximal - resting), 0), 1)
    }

    /// Training impulse of some minutes at a share of the reserve.
    ///
    /// Source: E. W. Banister, in: Physiological testing of elite athletes (1991); R. H. Morton et al., J Appl Physiol 69 (1990) 1171: minutes × reserve × 0.64
    /// e^(1.92 × reserve) for men, 0.86 e^(1.67 × reserve) for women.
    package static func impulse(minutes: Double, reserve: Double, isFemale: Bool) -> Double {
        minutes * reserve * (isFemale ? 0.86 * exp(1.67 * reserve) : 0.64 * exp(1.92 * reserve))
    }

    /// The zone of a share of the reserve: 1 from 30 %, 2 from 40 %, 3 from 60 %, 4 from 90 %: light, moderate, vigorous, near maximal (ACSM's Guidelines
    /// for exercise testing and prescription, 11th ed., table 5.2); 0 below.
    package static func zone(_ reserve: Double) -> Int {
        reserve >= 0.9 ? 4 : reserve >= 0.6 ? 3 : reserve >= 0.4 ? 2 : reserve >= 0.3 ? 1 : 0
    }

    /// Exponentially weighted mean of daily loads over so many days, λ = 2/(N + 1) (S. Williams et al., Br J Sports Med 51 (2017) 209).
    package static func weightedLoad(_ loads: [Double], days: Double) -> Double {
        let part = 2 / (days + 1)
        return loads.reduce(0) { $1 * part + $0 * (1 - part) }
    }

    /// mL/min/kg: 15.3 × maximal rate / resting rate (N. Uth et al., Eur J Appl Physiol 91 (2004) 111): made on well-trained men, ±10 % and more for others.
    package static func oxygenUptake(maximal: Double, resting: Double) -> Double { 15.3 * maximal / resting }

    /// The weight that could be lifted once, from a set of at most ten: weight × (1 + repetitions / 30) (B. Epley, 1985).
    package static func oneRepetition(weight: Double, repetitions: Int) -> Double? {
        (1...10).contains(repetitions) ? (repetitions == 1 ? weight : weight * (1 + Double(repetitions) / 30)) : nil
    }
}

/// A time of exertion that the heart rate shows.
package struct TrainingSession: Sendable, Equatable {
    package let from: Double
    package let until: Double
    package let impulse: Double
    package let mean: Double
    package let day: Int

    /// Times of ten minutes and more at 40 % of the reserve and above, with pauses of at most three minutes.
    package static func recognised(_ rates: [NumberReading], resting: Double, maximal: Double, isFemale: Bool) -> [TrainingSession] {
        var sessions: [TrainingSession] = []
        var open: [(reading: NumberReading, minutes: Double, reserve: Double)] = []
        let close = {
            guard let first = open.first?.reading, let last = open.last?.reading, last.time - first.time >= 540 else { return }
            let impulse = open.reduce(0) { $0 + TrainingFormulas.impulse(minutes: $1.minutes, reserve: $1.reserve, isFemale: isFemale) }
            let mean = open.reduce(0) { $0 + $1.reading.value } / Double(open.count)
            sessions.append(TrainingSession(from: first.time, until: last.time + 60, impulse: impulse, mean: mean, day: first.day))
        }
        for (place, reading) in rates.enumerated() {
            let reserve = TrainingFormulas.reserve(reading.value, resting: resting, maximal: maximal)
            guard reserve >= 0.4 else { continue }
            if let last = open.last?.reading, reading.time - last.time > 180 {
                close()
                open = []
            }
            // A reading stands for the time until the next, at most two minutes.
            let until = place + 1 < rates.count ? rates[place + 1].time : reading.time + 60
            open.append((reading, min(max(until - reading.time, 0), 120) / 60, reserve))
        }
        close()
        return sessions
    }
}

/// A plan for the gym and the sets that were done: `squat 3x8x60; bench 3x10x40`, a set `squat 8x60`.
package struct TrainingPlan: Sendable, Equatable {
    package struct Exercise: Sendable, Equatable {
        package let name: String
        package let sets: Int
        package let repetitions: Int
        package let weight: Double
    }

    package let exercises: [Exercise]

    /// Nil where a part is not written as `NAME SETSxREPETITIONSxWEIGHT`.
    package init?(_ text: String) {
        var exercises: [Exercise] = []
        for part in text.split(separator: ";") {
            guard let (name, numbers) = Self.parse(part), numbers.count == 3, (1...50).contains(numbers[0]), (1...500).contains(numbers[1]),
                (0...1000).contains(numbers[2])
            else { return nil }
            exercises.append(Exercise(name: name, sets: Int(numbers[0]), repetitions: Int(numbers[1]), weight: numbers[2]))
        }
        guard !exercises.isEmpty, exercises.count <= 50 else { return nil }
        self.exercises = exercises
    }

    /// A set that was done; nil where the text is none.
    package static func set(_ text: String) -> (name: String, repetitions: Int, weight: Double)? {
        guard let (name, numbers) = parse(text[...]), numbers.count == 2, (1...500).contains(numbers[0]), (0...1000).contains(numbers[1])
        else { return nil }
        return (name, Int(numbers[0]), numbers[1])
    }

    /// The share of the planned sets that were done with at least the planned repetitions and weight, in percent.
    package func share(of done: [(name: String, repetitions: Int, weight: Double)]) -> Double {
        let planned = exercises.reduce(0) { $0 + $1.sets }
        let fulfilled = exercises.reduce(0) { sum, exercise in
            sum
                + min(
                    exercise.sets,
                    done.count { $0.name == exercise.name && $0.repetitions >= exercise.repetitions && $0.weight >= exercise.weight })
        }
        return 100 * Double(fulfilled) / Double(planned)
    }

    private static func parse(_ text: Substring) -> (name: String, numbers: [Double])? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count >= 2, let last = words.last else { return nil }
        let numbers = last.split(separator: "x", omittingEmptySubsequences: false).map { Double(decimal: $0) }
        guard !numbers.contains(nil) else { return nil }
        return (words.dropLast().joined(separator: " ").lowercased(), numbers.compactMap { $0 })
    }
}
