import ServiceKit

/// The minutes of a week of which the rhythm was judged, from one lead of an electrocardiogram.
struct RhythmRecord {
    private static let counts = ["beats-judged", "ventricular-beats", "supraventricular-beats", "fibrillation-suspected"]
    static let inputs: [ModuleInput] =
        counts.map { .continuous($0, days: 8, spacing: 60) } + [.continuous("rhythm", days: 2, spacing: 60)]

    /// The counts of a minute.
    struct Minute {
        /// Its start, in Unix seconds.
        let time: Double
        let day: Int
        let beats: Double
        let ventricular: Double
        let supraventricular: Double
        /// A Boolean value that indicates whether fibrillation was suspected in half of it (30 s: ESC 2020).
        let isSuspected: Bool
    }

    /// Earliest first; a minute of which not everything is known is left out.
    let minutes: [Minute]
    /// The rhythm of the last minute of an hour, as the rhythm analysis named it.
    let last: String?

    init(_ context: ModuleContext) throws {
        let counts = try Self.counts.dropFirst().map { metric in
            Dictionary(try context.readings(metric).map { ($0.time, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        last = try context.texts("rhythm").last { $0.time > context.now - 3600 }?.text
        minutes = try context.readings("beats-judged").compactMap { beats in
            guard beats.value > 0, let ventricular = counts[0][beats.time], let supraventricular = counts[1][beats.time],
                let fibrillation = counts[2][beats.time]
            else { return nil }
            return Minute(
                time: beats.time, day: beats.day, beats: beats.value, ventricular: min(ventricular, beats.value),
                supraventricular: min(supraventricular, beats.value), isSuspected: fibrillation >= 30)
        }
    }

    /// The shares of early and strange beats over a time.
    struct Ectopy {
        let minutes: Int
        let beats: Double
        let ventricular: Double
        let supraventricular: Double

        /// Nil for less than half an hour: what stands in so little may be gone in the next.
        init?(_ minutes: some Collection<Minute>) {
            guard minutes.count >= 30 else { return nil }
            self.minutes = minutes.count
            (beats, ventricular, supraventricular) = minutes.reduce(into: (0, 0, 0)) {
                $0.0 += $1.beats
                $0.1 += $1.ventricular
                $0.2 += $1.supraventricular
            }
        }

        var hours: Double { Double(minutes) / 60 }
        var ventricularBurden: Double { 100 * ventricular / beats }
        var supraventricularBurden: Double { 100 * supraventricular / beats }
    }

    /// The last day's.
    func ectopy(at now: Double) -> Ectopy? { Ectopy(minutes.filter { $0.time > now - 86_400 }) }

    /// Fibrillation that was suspected in a time.
    struct Fibrillation {
        /// Minutes that were judged.
        let judged: Int
        /// Those that stand in episodes.
        let suspected: Int
        /// The ends of what they may be in truth, given how often the method errs.
        let low: Double
        let high: Double
    }

    /// The shortest episode that counts, in minutes: what devices that are implanted store as an episode, and guidelines ask to have confirmed by an
    /// electrocardiogram (ESC 2020, section 16: five to six minutes). Shorter ones are more often extrasystoles than fibrillation.
    static let shortestEpisode = 6
    /// The lower ends of the 95 % intervals (Wilson) of the sensitivity and specificity that were measured for minutes on the recordings of the MIT-BIH Arrhythmia
    /// Database: 33 of 34, and 31 false ones of some 640 (stress.md).
    private static let (leastSensitivity, leastSpecificity) = (0.85, 0.93)

    /// The week's; nil for less than half an hour.
    func fibrillation(at now: Double) -> Fibrillation? {
        let week = minutes.filter { $0.time > now - 7 * 86_400 }
        guard week.count >= 30 else { return nil }
        var (suspected, run): (Int, [Minute]) = (0, [])
        for minute in week {
            if minute.isSuspected, run.last.map({ minute.time - $0.time < 90 }) ?? true {
                run.append(minute)
            } else {
                if run.count >= Self.shortestEpisode { suspected += run.count }
                run = minute.isSuspected ? [minute] : []
            }
        }
        if run.count >= Self.shortestEpisode { suspected += run.count }
        let share = Double(suspected) / Double(week.count)
        // W. J. Rogan, B. Gladen, Am J Epidemiol 107 (1978) 71: the share in truth from the share that a test finds. At the lower end everything that may be
        // false is, at the upper end everything that may have been missed was.
        let low = max(0, share - (1 - Self.leastSpecificity)) / Self.leastSpecificity
        let high = suspected == 0 ? 0 : min(1, share / Self.leastSensitivity)
        return Fibrillation(judged: week.count, suspected: suspected, low: low * Double(week.count), high: high * Double(week.count))
    }

    /// Returns whether so much of the week is irregular that variability means nothing.
    func isIrregular(at now: Double) -> Bool { fibrillation(at: now).map { Double($0.suspected) > 0.05 * Double($0.judged) } ?? false }
}
