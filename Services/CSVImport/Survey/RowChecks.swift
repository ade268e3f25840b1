import VigilSchema

/// Looks through a file's first rows for what is well-formed and yet wrong.
struct RowChecks {
    let survey: FileSurvey
    let rows: [[String]]
    let options: ImportOptions

    /// Adds what was found to the survey.
    func warn(_ survey: inout FileSurvey) {
        if let step = millisecondStep() {
            survey.millisecondStep = step
            let seconds = (Double(step) / 1_000_000).short
            survey.warnings.append(
                options.correctsMilliseconds
                    ? "milliseconds had been added to seconds (the times step by \(seconds) s): corrected"
                    : "the times step by \(seconds) s: milliseconds seem to have been added to seconds; --correct-milliseconds undoes it")
        }
        if weightIsInPounds() {
            survey.warnings.append("weight and bmi fit together only if the weight is in pounds: --unit weight=[lb_av] says so")
        }
    }

    // MARK: Milliseconds

    /// The step of the times where it can only come from milliseconds: 1000 s is no sampling interval, but 1 Hz is a rate;
    /// or where the time between two beats in seconds is their interval in milliseconds.
    private func millisecondStep() -> Int64? {
        guard survey.profile.layout == .table, let time = place(survey.profile.time.columns[0]) else { return nil }
        let times = rows.prefix(300).compactMap { time < $0.count ? Double(decimal: $0[time]) : nil }
        guard times.count >= 20 else { return nil }
        let steps = zip(times.dropFirst(), times).map { $0 - $1 }
        for rate in [1.0, 2, 4, 8, 32, 64] {
            let step = 1000 / rate
            if steps.count(where: { abs($0 - step) < 1 }) * 10 >= steps.count * 9 { return Int64(step * 1_000_000) }
        }
        return beatsStepByMilliseconds(steps) ? 1_000_000_000 : nil
    }

    private func beatsStepByMilliseconds(_ steps: [Double]) -> Bool {
        guard let place = place(["rr-interval"]) else { return false }
        let intervals = rows.dropFirst().prefix(steps.count).map { place < $0.count ? Double(decimal: $0[place]) ?? 0 : 0 }
        return zip(steps, intervals).count(where: { abs($0 - $1) <= 3 && $1 > 100 }) * 2 >= steps.count
    }

    // MARK: Pounds

    private func weightIsInPounds() -> Bool {
        guard let weight = place(["weight"]), let index = place(["bmi"]), options.units["weight"] == nil else { return false }
        var pounds = 0, kilograms = 0
        for row in rows where max(weight, index) < row.count {
            guard let weight = Double(decimal: row[weight]), let index = Double(decimal: row[index]), weight > 0, index > 0 else {
                continue
            }
            if isHeight((weight / index).squareRoot()) {
                kilograms += 1
            } else if isHeight((weight * 0.453_592_37 / index).squareRoot()) {
                pounds += 1
            }
        }
        return pounds > 0 && kilograms == 0
    }

    /// Of an adult, in metres.
    private func isHeight(_ metres: Double) -> Bool { (1.3...2.3).contains(metres) }

    private func place(_ spellings: [String]) -> Int? {
        survey.header.firstIndex { header in spellings.contains { HeaderName($0) == HeaderName(header) } }
    }
}
