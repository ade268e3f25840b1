/// The state of a person's weight at a time, according to the weighings.
struct WeightCourse {
    let weighings: [NumberReading]
    let trend: [NumberReading]
    let model: WeightModel
    let now: Double
    let today: Int

    /// The last weighing. There is one.
    var last: NumberReading { weighings[weighings.count - 1] }
    /// The model's level at the last weighing.
    var level: Double { model.level(after: 0).mean }
    var daysSinceLast: Double { max(0, now / 86_400 - model.time) }

    /// The change in a week; nil where the weighings are too few, too close together or too old.
    var rate: (mean: Double, variance: Double)? {
        let recent = weighings.suffix { $0.time > last.time - 60 * 86_400 }
        guard recent.count >= 4, let first = recent.first, last.time - first.time >= 10 * 86_400, today - last.day <= 31 else { return nil }
        let (mean, variance) = model.slope
        return (mean * 7, variance * 49)
    }

    /// A Boolean value that indicates whether the trend has stood still for three weeks: it moved by less than half a kilogram.
    var isPlateau: Bool? {
        let recent = trend.suffix { $0.day > last.day - 21 }
        guard recent.count >= 6, today - last.day <= 7, let first = recent.first, let end = recent.last, last.day - first.day >= 14 else {
            return nil
        }
        return abs(end.value - first.value) < 0.5
    }

    /// The last weight above the least of the three days before it; nil without another.
    var gain: Double? {
        let before = weighings.dropLast().suffix { $0.time >= last.time - 3 * 86_400 }
        return before.map(\.value).min().map { last.value - $0 }
    }

    /// Weighings, trend and what is expected of the next two months.
    func chart(target: Double?) -> PageChart {
        let from = last.time - 180 * 86_400
        let recent = weighings.suffix { $0.time >= from }.map { [$0.time, $0.value] }
        let smooth = trend.suffix { $0.time >= from }.map { [$0.time, $0.value] }
        var ahead: [[Double]] = [], low: [[Double]] = [], high: [[Double]] = []
        if rate != nil {
            for day in stride(from: 0.0, through: 60, by: 5) {
                let (mean, variance) = model.level(after: day)
                let time = model.time * 86_400 + day * 86_400
                ahead.append([time, mean])
                low.append([time, mean - 1.2816 * variance.squareRoot()])
                high.append([time, mean + 1.2816 * variance.squareRoot()])
            }
        }
        let lines: [PageChart.Line] = [
            .init(LocalizedText("Weighings", de: "Wägungen", ru: "Взвешивания"), recent),
            .init(LocalizedText("Trend", de: "Trend", ru: "Тренд"), smooth),
            .init(LocalizedText("Expected", de: "Erwartet", ru: "Прогноз"), ahead),
            .init(LocalizedText("80 %, low", de: "80 %, unten", ru: "80 %, низ"), low),
            .init(LocalizedText("80 %, high", de: "80 %, oben", ru: "80 %, верх"), high),
        ].filter { !$0.points.isEmpty }
        return PageChart(
            LocalizedText("Body weight", de: "Körpergewicht", ru: "Масса тела"), unit: "kg", lines: lines, band: target.map { $0...$0 })
    }
}

extension RandomAccessCollection where Index == Int {
    /// The elements at the end for which a condition holds.
    func suffix(_ condition: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, condition(self[start - 1]) { start -= 1 }
        return self[start..<endIndex]
    }
}
