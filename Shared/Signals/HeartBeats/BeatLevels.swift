/// Decides which bursts are beats, by levels of signal and noise that follow the wearer, and by the rhythm.
struct BeatLevels: Sendable, Codable {
    /// The decision about a candidate.
    enum Decision { case beat, noise, ignore }

    private let rate: Double
    private var signal: Double?
    private var noise = 0.0
    private var interval: Double
    private var last: Int64?
    private var lastSlope = 0.0
    private var waiting: QRSCandidate?
    private var silentSince: Int64 = 0
    private var early: [QRSCandidate] = []
    private var learnsUntil: Int64 = 0

    init(rate: Double) {
        self.rate = rate
        interval = 0.8 * rate
        early.reserveCapacity(16)
    }

    /// Keeps the levels but forgets the rhythm's last beat.
    mutating func restart(at position: Int64) {
        (last, waiting, silentSince) = (nil, nil, position)
        early.removeAll(keepingCapacity: true)
        if signal == nil { learnsUntil = position + Int64(2 * rate) }
    }

    /// Keeps a burst of the first two seconds back until the levels are known; false where it can be judged now.
    mutating func keepsBack(_ candidate: QRSCandidate) -> Bool {
        guard signal == nil, candidate.peak < learnsUntil, early.count < 16 else { return false }
        early.append(candidate)
        return true
    }

    /// The bursts that were kept back, when the first two seconds are over at `position`; the levels start from them.
    mutating func endOfLearning(at position: Int64) -> [QRSCandidate] {
        guard signal == nil, position >= learnsUntil, !early.isEmpty else { return [] }
        let sizes = early.map(\.amplitude).sorted(by: >)
        // One burst may be an artefact; of three or more the second largest surely is no outlier.
        let level = sizes.count > 2 ? sizes[1] : sizes[0]
        (signal, noise) = (level, 0.1 * level)
        return early
    }

    private var threshold: Double { noise + 0.15 * ((signal ?? 0) - noise) }

    /// Judges a burst, and lets the levels learn from it.
    mutating func judge(_ candidate: QRSCandidate) -> Decision {
        if signal == nil { (signal, noise) = (candidate.amplitude, 0.1 * candidate.amplitude) }
        let distance = last.map { Double(candidate.peak - $0) } ?? .infinity
        guard distance > 0.28 * rate else { return .ignore }
        let isTWave = distance < 0.3 * rate && candidate.slope < 0.3 * lastSlope
        if candidate.amplitude > threshold && !isTWave {
            accept(candidate, distance: distance)
            return .beat
        }
        if !isTWave && candidate.amplitude > (waiting?.amplitude ?? 0) { waiting = candidate }
        noise += 0.125 * (min(candidate.amplitude, signal ?? 0) - noise)
        return .noise
    }

    private mutating func accept(_ candidate: QRSCandidate, distance: Double) {
        let level = signal ?? candidate.amplitude
        signal = level + 0.125 * (min(candidate.amplitude, 2 * level) - level)
        if distance > 0.4 * interval && distance < 1.8 * interval { interval += 0.125 * (distance - interval) }
        remember(candidate)
    }

    private mutating func remember(_ candidate: QRSCandidate) {
        (last, lastSlope, waiting, silentSince) = (candidate.peak, candidate.slope, nil, candidate.peak)
    }

    /// Looks after the time that passed without a beat: returns a beat that was passed over, where the rhythm has a hole.
    @inline(__always)
    mutating func pass(_ position: Int64) -> QRSCandidate? {
        let silence = Double(position - silentSince)
        guard silence > 1.6 * interval, signal != nil else { return nil }
        return lookBack(silence: silence)
    }

    private mutating func lookBack(silence: Double) -> QRSCandidate? {
        if silence > 3 * rate { decay() }
        guard let candidate = waiting else { return nil }
        waiting = nil
        guard last != nil, candidate.amplitude > 0.4 * threshold, let level = signal else { return nil }
        signal = level + 0.25 * (candidate.amplitude - level)
        remember(candidate)
        return candidate
    }

    /// After three seconds of silence both levels fall by 30 % a second, so that a weaker signal is found again.
    private mutating func decay() {
        signal = signal.map { $0 * (1 - 0.3 / rate) }
        noise *= 1 - 0.3 / rate
    }
}
