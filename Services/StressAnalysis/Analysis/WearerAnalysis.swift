import Signals

/// Everything that is kept of one person: the signals' detectors and the last minutes of what they found.
///
/// A value without I/O or clock: time is what the observations carry. Bounded: about 40 KB a person with every sensor, under
/// 1 KB with single readings only.
struct WearerAnalysis: Sendable, Codable {
    /// Seconds from one update to the next.
    static let step = 5.0
    /// The time until beats are final, in seconds: two for the second opinion, two beats more for the correction.
    static let settling = 5.0
    /// The time until breaths are final, in seconds.
    static let breathSettling = 3.0
    /// A signal that is this much behind is not waited for, in seconds.
    private static let patience = 12.0

    /// The time for which the last known movement holds, in seconds: its sensor may fall silent while the wearer moves.
    private static let movementSpan = 60.0

    /// The metrics that are analysed, by their names in the catalogue.
    enum Metric: String, CaseIterable, Codable, CodingKeyRepresentable {
        case ecg, airflow, respiration
        case bloodVolumePulse = "blood-volume-pulse"
        case skinConductance = "skin-conductance"
        case accelerationX = "acceleration-x"
        case accelerationY = "acceleration-y"
        case accelerationZ = "acceleration-z"
        case skinTemperature = "skin-temperature"
        case heartRate = "heart-rate"
        case pulseRate = "pulse-rate"
        case respirationRate = "respiration-rate"
        case interval = "rr-interval"

        /// A Boolean value that indicates whether single readings of it say nothing.
        var isWaveform: Bool {
            switch self {
            case .ecg, .bloodVolumePulse, .airflow, .respiration, .accelerationX, .accelerationY, .accelerationZ: true
            case .skinConductance, .skinTemperature, .heartRate, .pulseRate, .respirationRate, .interval: false
            }
        }

        /// A Boolean value that indicates whether blocks of samples of it say something.
        var isSampled: Bool { isWaveform || self == .skinConductance }
    }

    /// Each with one element from the first block or reading on: most people wear few kinds of sensors, and the detectors are large.
    private var hearts: [HeartTrack] = []
    private var breaths: [BreathTrack] = []
    private var skins: [SkinTrack] = []
    private var motions: [MotionMeter] = []
    /// The end of the known acceleration; nil before the first.
    private var motionEnd: Double?
    private(set) var deviceHeartRate = TimedValues(span: 90, capacity: 256)
    private(set) var deviceBreathing = TimedValues(span: 90, capacity: 256)
    private var temperature = TimedValues(span: 90, capacity: 512)
    private(set) var clock = -Double.infinity
    private(set) var nextUpdate: Double?
    /// The early and strange beats of the hour that goes on.
    private var hour = RhythmHour()
    /// The usual ST level; nil before the first.
    private var usualST: UsualLevel?
    /// The beat and the breath since which a standstill was told; nil for none.
    var toldBeat, toldBreath: Double?

    private static let blank = (heart: HeartTrack(), breath: BreathTrack(), skin: SkinTrack(), motion: MotionMeter())

    var hasHeart: Bool { !hearts.isEmpty }
    var hasBreath: Bool { !breaths.isEmpty }

    /// When the last beat and breath were, and the ends of what is known of either signal; nil for nothing. Asked for every second, and so without the copy
    /// that `heart` and `breath` are.
    var lastBeat: Double? { hasHeart ? hearts[0].lastElectrocardiogramBeat : nil }
    var heartEnd: Double? { hasHeart ? hearts[0].end : nil }
    var lastBreath: Double? { hasBreath ? breaths[0].lastBreath : nil }
    var breathEnd: Double? { hasBreath ? breaths[0].end : nil }

    var heart: HeartTrack {
        _read { if hearts.isEmpty { yield Self.blank.heart } else { yield hearts[0] } }
        _modify {
            if hearts.isEmpty { hearts.append(HeartTrack()) }
            yield &hearts[0]
        }
    }

    var breath: BreathTrack {
        _read { if breaths.isEmpty { yield Self.blank.breath } else { yield breaths[0] } }
        _modify {
            if breaths.isEmpty { breaths.append(BreathTrack()) }
            yield &breaths[0]
        }
    }

    private(set) var skin: SkinTrack {
        _read { if skins.isEmpty { yield Self.blank.skin } else { yield skins[0] } }
        _modify {
            if skins.isEmpty { skins.append(SkinTrack()) }
            yield &skins[0]
        }
    }

    private var motion: MotionMeter {
        _read { if motions.isEmpty { yield Self.blank.motion } else { yield motions[0] } }
        _modify {
            if motions.isEmpty { motions.append(MotionMeter()) }
            yield &motions[0]
        }
    }

    /// Blocks that came twice or too late.
    var dropped: Int { heart.dropped + breath.dropped + skin.dropped }

    /// Takes a block of a waveform; one of a metric that comes as single readings is passed over.
    mutating func add(_ metric: Metric, _ block: SampleBlock) {
        switch metric {
        case .ecg: heart.addECG(block, isMoving: isMoving(at: block.end))
        case .bloodVolumePulse: heart.addPulse(block)
        case .airflow, .respiration: breath.add(block)
        case .skinConductance: skin.add(block)
        case .accelerationX: addMotion(block, axis: 0)
        case .accelerationY: addMotion(block, axis: 1)
        case .accelerationZ: addMotion(block, axis: 2)
        case .skinTemperature, .heartRate, .pulseRate, .respirationRate, .interval: return
        }
        advance(to: block.end)
    }

    private mutating func addMotion(_ block: SampleBlock, axis: Int) {
        motion.process(block.samples.span, axis: axis, rate: 1 / block.period)
        motionEnd = max(motionEnd ?? block.end, block.end)
    }

    /// Takes a single reading; one of a metric that comes as blocks is passed over.
    /// - Parameter sequence: tells apart, and puts in order, readings that share a time.
    mutating func add(_ metric: Metric, _ value: Double, at time: Double, sequence: Int32 = 0) {
        switch metric {
        case .skinConductance: skin.add(reading: value, at: time)
        case .skinTemperature: temperature.add(value, at: time)
        case .heartRate, .pulseRate: deviceHeartRate.add(value, at: time)
        case .respirationRate: deviceBreathing.add(value, at: time)
        case .interval: heart.addInterval(milliseconds: value, at: time, sequence: sequence)
        case .ecg, .bloodVolumePulse, .airflow, .respiration, .accelerationX, .accelerationY, .accelerationZ: return
        }
        advance(to: time)
    }

    private mutating func advance(to time: Double) {
        clock = max(clock, time)
        if nextUpdate == nil { nextUpdate = (clock / Self.step).rounded(.up) * Self.step }
    }

    /// The next update's report, if it is due; call until it returns nil.
    mutating func nextReport() -> WearerReport? {
        guard var time = nextUpdate else { return nil }
        // After a jump of the clock the minutes that nothing is known of are not told of one by one.
        if clock - time > 120 { time = ((clock - 60) / Self.step).rounded(.down) * Self.step }
        guard isReady(time) else { return nil }
        nextUpdate = time + Self.step
        return report(at: time)
    }

    private func isReady(_ time: Double) -> Bool {
        guard clock >= time + Self.settling else { return false }
        if clock >= time + Self.patience { return true }
        // A signal that stopped a while ago holds nothing up.
        let isKnown = { (end: Double?, margin: Double) in end.map { $0 >= time + margin || $0 < time - 20 } ?? true }
        return isKnown(heart.end, Self.settling) && isKnown(breath.end, Self.breathSettling) && isKnown(skin.end, 1)
    }

    private mutating func report(at time: Double) -> WearerReport {
        var report = WearerReport(time: time)
        report.isMoving = isMoving(at: time)
        addHeart(to: &report)
        settleRhythm(at: time, isMoving: report.isMoving)
        if let minute = report.rhythm { hour.add(minute) }
        addIntervals(to: &report)
        if time.truncatingRemainder(dividingBy: 3600) == 0 { report.rhythmHour = hour.take() }
        addBreathing(to: &report)
        addSkin(to: &report)
        report.inputs.temperature = temperature.median(after: time - 60, through: time)
        if report.isMoving { report.reasons.append("the wearer moves") }
        return report
    }

    /// Once a minute: the times of the usual beat. A wearer who moves shifts the ST segment.
    private mutating func addIntervals(to report: inout WearerReport) {
        guard hasHeart, report.time.truncatingRemainder(dividingBy: 60) == 0 else { return }
        guard let intervals = hearts[0].takeBeatIntervals(), isLive(hearts[0].end, at: report.time), !report.isMoving else { return }
        report.beatIntervals = intervals
        var usual = usualST ?? UsualLevel()
        report.changeOfST = usual.change(intervals.st, at: report.time)
        usualST = usual
    }

    mutating func settleRhythm(at time: Double, isMoving: Bool) {
        if hasHeart { hearts[0].settleRhythm(at: time, isLive: isLive(hearts[0].end, at: time), isMoving: isMoving) }
    }

    /// Takes the rhythms that have ended, and those that were recognised, since it was last asked.
    mutating func takeRhythm() -> (intervals: [RhythmInterval], changes: [RhythmChange]) {
        hasHeart ? hearts[0].takeRhythm() : ([], [])
    }

    func isMoving(at time: Double) -> Bool { motion.isMoving && motionEnd.map { $0 > time - Self.movementSpan } ?? false }

    func isLive(_ end: Double?, at time: Double) -> Bool { end.map { $0 > time - 15 } ?? false }
}

extension WearerAnalysis {
    private func addSkin(to report: inout WearerReport) {
        let time = report.time
        guard isLive(skin.end, at: time), let level = skin.level(through: time) else { return }
        if level < SkinQuality.dryBelow {
            report.skinQuality = 0
            report.reasons.append("the skin electrodes are dry or off")
        } else if level > SkinQuality.saturatedAbove {
            report.skinQuality = 0
            report.reasons.append("the skin-conductance sensor is at its end")
        } else {
            let amplitudes = skin.amplitudes(through: time)
            report.skinQuality = report.isMoving ? 0.5 : 1
            report.inputs.skinConductance = level
            report.responseRate = Double(amplitudes.count)
            if !amplitudes.isEmpty { report.responseAmplitude = amplitudes.reduce(0, +) / Double(amplitudes.count) }
        }
    }
}

/// The measures of one person at one moment.
struct WearerReport: Sendable {
    /// The moment, Unix seconds.
    var time: Double
    /// The inputs of the stress score.
    var inputs = StressInputs()
    /// True while the wearer moves.
    var isMoving = false
    /// Beats a minute over the last 15 s.
    var heartRate: Double?
    /// Over the last 60 s.
    var variability: HeartRateVariability?
    /// Once a minute, over five.
    var longTerm: LongTerm?
    /// Once a minute where there is an electrocardiogram: the rhythm of that minute, without beats where too little is known.
    var rhythm: RhythmMinute?
    /// Once a minute: the times of the usual beat, and its ST level against the wearer's usual one.
    var beatIntervals: BeatIntervals?
    var changeOfST: Double?
    /// Without a belt: breaths a minute as the beats tell of them.
    var breathingEstimate: BreathModulation.Estimate?
    /// Once an hour: the counts of its minutes; nil where less than half of it is known.
    var rhythmHour: RhythmMinute?
    /// Breaths a minute.
    var breathing: BreathingPattern?
    /// Responses a minute.
    var responseRate: Double?
    /// Their mean amplitude in µS.
    var responseAmplitude: Double?
    /// The longest time without a beat in the last seconds; nil where it is not known.
    var heartPause: Double?
    /// Since when an electrocardiogram that had beats is a flat line, in seconds; 0 where it is none any more.
    var heartFlat: Double?
    /// The longest time without a breath in the last seconds; nil where it is not known.
    var breathingPause: Double?
    /// Since when a signal that had breaths is a flat line, in seconds; 0 where it is none any more.
    var breathingFlat: Double?
    /// 0…1; nil where there is no such signal.
    var heartQuality: Double?
    /// 0…1; nil where there is no such signal.
    var breathingQuality: Double?
    /// 0…1; nil where there is no such signal.
    var skinQuality: Double?
    /// The reason why something cannot be said, in plain words; empty where all is well.
    var reasons: [String] = []

    /// Measures that need minutes.
    struct LongTerm: Sendable {
        var variability: HeartRateVariability
        var spectrum: SpectralVariability?
        var baevsky: Double?
        var alpha1: Double?
    }
}
