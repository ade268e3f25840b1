/// The rhythm of a heart over a time, as far as one lead shows it. The raw values are words of the metric `heart-rhythm`.
package enum HeartRhythm: String, Hashable, Sendable, CaseIterable, Codable {
    /// Regular, 50 to 100 beats a minute, as sinus rhythm is. P waves are not looked at.
    case regular
    /// Below 50 beats a minute (ACC/AHA/HRS 2018).
    case bradycardia
    /// Above 100 beats a minute.
    case tachycardia
    /// Irregular as in atrial fibrillation.
    case suspectedFibrillation = "suspected-atrial-fibrillation"
    /// Three and more early beats of the usual shape in a row, above 100 a minute.
    case supraventricularRun = "supraventricular-run"
    /// Three and more ventricular-like beats in a row, above 100 a minute.
    case ventricularRun = "ventricular-run"
    /// One that has lasted for 30 s.
    case sustainedVentricularRun = "sustained-ventricular-run"
    /// Three and more ventricular-like beats in a row, no faster than 100 a minute.
    case idioventricular = "idioventricular-rhythm"
    /// Every second beat is ventricular-like, three times and more.
    case bigeminy = "ventricular-bigeminy"
    /// Every third beat is ventricular-like, three times and more.
    case trigeminy = "ventricular-trigeminy"
    /// Two ventricular-like beats in a row.
    case couplet = "ventricular-couplet"
    /// More than two seconds, and up to three, without a beat.
    case pause
    /// More than three seconds without a beat.
    case longPause = "long-pause"
    /// Four seconds and more without a beat in a good signal.
    case asystole
    /// As long in a wave without beats: ventricular flutter or fibrillation, or a shaken cable.
    case wave = "wave-without-beats"
    /// Noise, a gap, or too few beats behind one.
    case unknown

    /// Of two rhythms that the same beats show the one with the higher rank is named.
    var rank: Int {
        switch self {
        case .unknown, .regular, .couplet, .pause, .longPause: 0
        case .bradycardia, .tachycardia: 1
        case .bigeminy, .trigeminy: 2
        case .supraventricularRun: 3
        case .suspectedFibrillation: 4
        case .ventricularRun, .sustainedVentricularRun, .idioventricular: 5
        case .asystole, .wave: 6
        }
    }
}

/// A time with one rhythm.
package struct RhythmInterval: Hashable, Sendable, Codable {
    package var rhythm: HeartRhythm
    /// Unix seconds, or seconds of a recording: the first beat that belongs to it.
    package var start: Double
    /// The last beat that belongs to it.
    package var end: Double

    package init(_ rhythm: HeartRhythm, start: Double, end: Double) { (self.rhythm, self.start, self.end) = (rhythm, start, end) }

    /// In seconds.
    package var length: Double { end - start }

    /// Returns whether it lies beside what else the heart does, rather than being its rhythm: a couplet, a pause.
    package var isEvent: Bool { [.couplet, .pause, .longPause].contains(rhythm) }
}

/// The rhythm that was recognised at a time.
package struct RhythmChange: Hashable, Sendable, Codable {
    package var rhythm: HeartRhythm
    /// The beat that made it certain, later than that with which it began.
    package var time: Double
}
