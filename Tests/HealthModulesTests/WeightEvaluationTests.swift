import Foundation
import TestSupport
import Testing

@testable import HealthModules

/// The share of what came that the 80 % interval of the weight's model holds, on persons that another model made, and on recorded ones.
@Suite("Weight: prediction, evaluated")
struct WeightEvaluationTests {
    /// A person who eats, diets, slackens and stops, with water that has a memory, a week's beat, and days without a weighing.
    private struct Synthetic {
        var weighings: [NumberReading] = []
        /// The figure that the scale would show, a day each.
        var shown: [Double] = []
        /// The weight without water and noise, a day each, far beyond the last weighing.
        var truth: [Double] = []

        init(seed: UInt64, days: Int, beyond: Int) {
            var random = NormalGenerator(seed: seed)
            let base = 60 + 50 * random.uniform()
            var (weight, water, intake) = (base, 0.0, 0.0)
            let (beat, noise, missing, drift) = (
                0.3 * random.uniform(), 0.15 + 0.35 * random.uniform(), 0.5 * random.uniform(), 0.004 * random.next()
            )
            for day in 0..<days + beyond {
                if random.uniform() < 0.02 { intake = random.uniform() < 1.0 / 3 ? -(200 + 600 * random.uniform()) : 0 }
                intake *= 0.995
                weight += (intake - 22 * (weight - base) * 0.35) / 7700 + drift
                water = 0.7 * water + 0.35 * random.next()
                truth.append(weight)
                shown.append(weight + water + beat * cos(2 * .pi * Double(day) / 7) + noise * random.next())
                guard day < days, random.uniform() > missing || day == 0 else { continue }
                weighings.append(NumberReading(time: Double(day) * 86_400, value: shown[day], day: day, second: 0))
            }
        }
    }

    @Test("holds the weighing of a week, a fortnight and a month later four times in five, on synthetic persons", arguments: [7, 14, 30])
    func synthetic(days: Int) throws {
        var inside = 0.0
        var count = 0.0
        for seed in 1...500 {
            let person = Synthetic(seed: UInt64(seed), days: 90 + seed % 60, beyond: 31)
            let model = try #require(WeightModel(person.weighings))
            let last = try #require(person.weighings.last)
            let expected = model.weighing(after: Double(days))
            count += 1
            if abs(person.shown[last.day + days] - expected.mean) < 1.2816 * expected.variance.squareRoot() { inside += 1 }
        }
        // Of 500 persons four in five are 400, give or take eighteen for two in three such samples: 76, 80 and 81 % here.
        #expect((0.74...0.86).contains(inside / count), "\(inside / count)")
    }

    @Test("holds the day at which a target is reached four times in five, on synthetic persons")
    func arrival() throws {
        var inside = 0.0
        var count = 0.0
        for seed in 201...280 {
            let person = Synthetic(seed: UInt64(seed), days: 90 + seed % 60, beyond: WeightForecast.horizon + 1)
            let model = try #require(WeightModel(person.weighings))
            let last = try #require(person.weighings.last)
            let target = person.truth[last.day] + (model.slope.mean < 0 ? -1.0 : 1)
            let forecast = WeightForecast(model, target: target, after: 0)
            let ahead = person.truth[last.day...]
            let reached = ahead.firstIndex { model.slope.mean < 0 ? $0 <= target : $0 >= target }.map { Double($0 - last.day) } ?? .infinity
            count += 1
            if reached >= forecast.earliest ?? .infinity, reached <= forecast.latest ?? .infinity { inside += 1 }
        }
        // Wider than it says: 91 % of these. Days are whole, and who does not arrive within two years counts as told.
        #expect((0.75...0.95).contains(inside / count), "\(inside / count)")
    }

    @Test(
        "holds the weighing of a week and a fortnight later four times in five, on the recorded ones",
        .enabled(if: RecordedData.has("health-hacks"), "\(RecordedData.hint)"))
    func recorded() throws {
        let file = try #require(RecordedData.files(in: "health-hacks/fitbit/participant2", extension: "csv").first)
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        let header = try #require(lines.first).split(separator: ",").map(String.init)
        let (time, weight) = (try #require(header.firstIndex(of: "timestamp")), try #require(header.firstIndex(of: "weight")))
        // Pounds. The columns before the weight hold no quotes.
        let weighings = lines.dropFirst().compactMap { line -> NumberReading? in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            guard cells.count > weight, let seconds = Double(cells[time]), let pounds = Double(cells[weight]), pounds > 40 else {
                return nil
            }
            return NumberReading(time: seconds, value: pounds * 0.45359237, day: Int(seconds / 86_400), second: 0)
        }.sorted { $0.time < $1.time }
        #expect(weighings.count > 500)
        for days in [7, 14] {
            var inside = 0.0
            var count = 0.0
            for end in stride(from: 30, to: weighings.count - 30, by: 40) {
                guard let model = WeightModel(Array(weighings[..<end].suffix(200))) else { continue }
                guard
                    let later = weighings[end...].first(where: { abs($0.time - weighings[end - 1].time - Double(days) * 86_400) < 129_600 })
                else { continue }
                let expected = model.weighing(after: (later.time - weighings[end - 1].time) / 86_400)
                count += 1
                if abs(later.value - expected.mean) < 1.2816 * expected.variance.squareRoot() { inside += 1 }
            }
            #expect(count > 10 && (0.65...0.97).contains(inside / count), "\(days) days: \(inside) of \(count)")
        }
    }

    @Test("passes over another person on the scale, and believes three weighings in a row")
    func strays() throws {
        var weighings = (0..<30).map { NumberReading(time: Double($0) * 86_400, value: 62, day: $0, second: 0) }
        weighings.append(NumberReading(time: 30 * 86_400, value: 91, day: 30, second: 0))
        let once = try #require(WeightModel(weighings))
        #expect(abs(once.level(after: 0).mean - 62) < 0.2 && once.passedOver == 1)
        for day in 31...33 { weighings.append(NumberReading(time: Double(day) * 86_400, value: 91.2, day: day, second: 0)) }
        #expect(try #require(WeightModel(weighings)).level(after: 0).mean > 88)
    }
}
