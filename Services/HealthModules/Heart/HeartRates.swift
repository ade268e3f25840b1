/// A resting rate for each day: as it was measured, else estimated as the fifth percentile of the day's rates, of at least six hours.
///
/// Of one kind throughout, so that a change is the person's and not the method's: measured where three of the last seven days are, or as many as can
/// be estimated.
package struct RestingRate {
    package let days: [(day: Int, value: Double)]
    package let isMeasured: Bool
    /// The days on which it was measured.
    package let measuredDays: Set<Int>

    package init(measured: [NumberReading], rates: [NumberReading], today: Int) {
        let found = Dictionary(grouping: measured, by: \.day).compactMapValues { Statistics.median($0.map(\.value)) }
        let estimated = Dictionary(grouping: rates, by: \.day).filter { $0.value.count >= 360 }.compactMapValues {
            Statistics.quantile($0.map(\.value), 0.05)
        }
        let (known, possible) = (Self.recent(found, today), Self.recent(estimated, today))
        isMeasured = !found.isEmpty && (known >= 3 || known >= possible)
        measuredDays = Set(found.keys)
        days = (isMeasured ? found : estimated).map { (day: $0.key, value: $0.value) }.sorted { $0.day < $1.day }
    }

    private static func recent(_ days: [Int: Double], _ today: Int) -> Int { days.keys.count { $0 > today - 7 && $0 <= today } }
}

/// The fall of the heart rate in the minute after exertion ended.
///
/// Source: C. R. Cole et al., N Engl J Med 341 (1999) 1351: a fall of 12/min or less in the first minute after a treadmill test went with more deaths. Here the
/// exertion is whatever the person did, so the number follows a person over time and is no test. Exertion: five minutes above 70 % of the maximal
/// rate; its end: the last minute before the rate fell for two minutes.
package enum HeartRateRecovery {
    package static func last(_ rates: [NumberReading], maximum: Double?) -> Double? {
        guard let maximum, maximum > 0 else { return nil }
        let limit = 0.7 * maximum
        var found: Double?
        var hard = 0
        for place in rates.indices {
            let isNext = place > 0 && rates[place].time - rates[place - 1].time <= 90
            hard = rates[place].value >= limit ? (isNext ? hard + 1 : 1) : 0
            guard hard >= 5, place + 2 < rates.count, rates[place + 2].time - rates[place].time <= 180 else { continue }
            let (end, first, second) = (rates[place].value, rates[place + 1].value, rates[place + 2].value)
            let minutes = (rates[place + 1].time - rates[place].time) / 60
            if first < end, second < first, minutes > 0.5, minutes < 1.5 { found = (end - first) / minutes }
        }
        return found
    }
}
