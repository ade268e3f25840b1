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
    /// The beats in a row with another close behind; nil for none.
    private var pursuit: Pursuit?
    /// The level of the beats before a silence; nil while there is none, and after a gap, behind which everything may be different.
    private var before: Double?

    /// Full-sized bursts that came closer behind a beat than but the fastest hearts beat.
    private struct Pursuit: Sendable, Codable {
        var count = 0
        /// The last beat that had one behind it.
        var beat: Int64 = -1
    }

    init(rate: Double) {
        self.rate = rate
        interval = 0.8 * rate
        early.reserveCapacity(16)
    }

    /// Keeps the levels but forgets the rhythm's last beat.
    /// - Parameter isLong: the gap was so long that the electrodes may have been moved: the beats may be of any size.
    mutating func restart(at position: Int64, isLong: Bool = true) {
        before = isLong ? nil : before ?? signal
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
        guard distance > 0.28 * rate || isOfFastHeart(candidate, distance: distance) else { return .ignore }
        let isTWave = distance < 0.3 * rate && candidate.slope < 0.3 * lastSlope
        if candidate.amplitude > threshold && !isTWave {
            accept(candidate, distance: distance)
            return .beat
        }
        if !isTWave && candidate.amplitude > (waiting?.amplitude ?? 0) { waiting = candidate }
        noise += 0.125 * (min(candidate.amplitude, signal ?? 0) - noise)
        return .noise
    }

    /// Nothing follows a beat within 280 ms, but in the fastest hearts: four beats in a row have another so close behind, as large and as steep.
    private mutating func isOfFastHeart(_ candidate: QRSCandidate, distance: Double) -> Bool {
        guard let last, distance > 0.25 * rate, candidate.amplitude > 0.5 * (signal ?? 0), candidate.slope > 0.5 * lastSlope else {
            return false
        }
        var known = pursuit ?? Pursuit()
        if known.beat != last { known = Pursuit(count: known.count + 1, beat: last) }
        pursuit = known
        return known.count >= 4
    }

    private mutating func accept(_ candidate: QRSCandidate, distance: Double) {
        if pursuit?.beat != last, distance > 0.28 * rate { pursuit = nil }
        let level = signal ?? candidate.amplitude
        signal = level + 0.125 * (min(candidate.amplitude, 2 * level) - level)
        if distance > 0.4 * interval && distance < 1.8 * interval { interval += 0.125 * (distance - interval) }
        remember(candidate)
    }

    private mutating func remember(_ candidate: QRSCandidate) {
        (last, lastSlope, waiting, silentSince) = (candidate.peak, candidate.slope, nil, candidate.peak)
        before = nil
    }

    /// Returns whether a burst is so much smaller than the beats before it that it may be the atria's: its height must tell.
    func isFaint(_ candidate: QRSCandidate) -> Bool {
        (before ?? (last == nil ? nil : signal)).map { candidate.amplitude < 0.25 * $0 } ?? false
    }

    /// The burst that would fill a hole in the rhythm.
    var passedOver: QRSCandidate? { waiting }

    /// Drops that burst.
    mutating func forgetPassedOver() { waiting = nil }

    /// Returns whether so long no beat came that one may have been passed over.
    @inline(__always)
    func isSilent(at position: Int64) -> Bool { Double(position - silentSince) > 1.6 * interval && signal != nil }

    /// Looks after the time that passed without a beat: returns a beat that was passed over, where the rhythm has a hole.
    @inline(__always)
    mutating func pass(_ position: Int64) -> QRSCandidate? {
        isSilent(at: position) ? lookBack(silence: Double(position - silentSince)) : nil
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

    /// After three seconds of silence both levels fall by 30 % a second, so that a weaker signal is found again; in one without a gap they
    /// end at a seventh: what is smaller still is no beat.
    private mutating func decay() {
        if before == nil, last != nil { before = signal }
        if let before, let signal, signal < before / 7 { return }
        signal = signal.map { $0 * (1 - 0.3 / rate) }
        noise *= 1 - 0.3 / rate
    }
}
