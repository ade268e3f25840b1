/// A moment that may be a heart beat, with the evidence for and against it.
struct BeatCandidate: Sendable, Codable {
    /// The position of its R peak, in samples.
    var position: Int64
    /// The deflection there, in the signal's unit.
    var deflection: Float
    /// The middle of its QRS in the filtered signal, in samples; lags the R peak by the filter's delay.
    var centre: Int64
    /// The way it resembles the wearer's own beats.
    var likeness: Likeness
    /// The way the first opinion found it; nil where only the second one sees it.
    var origin: RPeak.Origin?
    /// The noise around it, see ``NoiseContext``.
    var noise: Float
    /// A Boolean value that indicates whether the second opinion decides.
    var isNoisy: Bool

    /// The second opinion without the rhythm: the log of the odds that it is a beat.
    ///
    /// A logistic regression over the candidates of the 24 records in the open half of the MIT-BIH set, clean and with
    /// synthetic electrode noise at 12 and 6 dB.
    var logOdds: Float {
        let gain = Float.log(max(likeness.gain, 0.15))
        let residual = Float.log(likeness.residual + 1e-3)
        let found: Float = origin == nil ? 0 : 1
        let shape = 1.865 * gain - 2.473 * abs(gain) - 0.638 * likeness.correlation - 1.165 * residual
        let context = -0.899 * noise + found * (0.064 - 0.83 * noise) - 0.768 * gain * noise
        return shape + context + 0.853 * likeness.correlation * noise - 0.127
    }
}

/// Weighs both opinions, two seconds later, when what came next is known too.
///
/// While the signal is clean the first opinion stands. In noise the most plausible train of beats does.
struct BeatJudge: Sendable, Codable {
    private static let capacity = 64

    private let rate: Double
    private let delay: Int64
    private var pending: [BeatCandidate] = []
    private var path = RhythmPath(capacity: capacity)
    private var history = RhythmHistory()
    private var lastCentre: Int64?
    private var lastPosition: Int64 = -1

    init(rate: Double) {
        self.rate = rate
        delay = Int64(2 * rate)
        pending.reserveCapacity(Self.capacity)
    }

    mutating func restart() {
        pending.removeAll(keepingCapacity: true)
        lastCentre = nil
    }

    /// Takes what the first opinion calls a beat; joins it with the second opinion's where both mean the same.
    mutating func addBeat(_ candidate: BeatCandidate) {
        let reach = Int64(0.1 * rate)
        let same = pending.indices.filter { pending[$0].origin == nil && abs(pending[$0].centre - candidate.centre) <= reach }
        guard let index = same.min(by: { distance($0, candidate) < distance($1, candidate) }) else { return insert(candidate) }
        pending[index].origin = candidate.origin
        pending[index].position = candidate.position
        pending[index].deflection = candidate.deflection
    }

    private func distance(_ index: Int, _ candidate: BeatCandidate) -> Int64 { abs(pending[index].centre - candidate.centre) }

    /// Takes a candidate, in its place by time.
    mutating func insert(_ candidate: BeatCandidate) {
        if let lastCentre, candidate.centre <= lastCentre { return }
        if pending.count == Self.capacity { pending.removeFirst() }
        let place = pending.lastIndex { $0.centre <= candidate.centre }.map { $0 + 1 } ?? 0
        pending.insert(candidate, at: place)
    }

    /// Decides the oldest candidate, if it is due at sample `now`; call until it returns `.waiting`.
    mutating func decide(now: Int64, hasNoBeats: Bool, isEnd: Bool = false) -> Decision {
        guard let candidate = pending.first, isEnd || candidate.centre + delay <= now else { return .waiting }
        let accepted = !hasNoBeats && (candidate.isNoisy ? isOnPath(candidate, now: now) : candidate.origin != nil)
        pending.removeFirst()
        guard accepted, candidate.position > lastPosition, isApart(candidate) else { return .passed }
        remember(candidate)
        return .beat(RPeak(position: candidate.position, amplitude: candidate.deflection, origin: candidate.origin ?? .shape))
    }

    /// The outcome for the oldest candidate.
    enum Decision {
        case beat(RPeak)
        case passed
        case waiting
    }

    private func isApart(_ candidate: BeatCandidate) -> Bool {
        lastCentre.map { Double(candidate.centre - $0) > 0.2 * rate } ?? true
    }

    private mutating func isOnPath(_ candidate: BeatCandidate, now: Int64) -> Bool {
        path.expected = history.expected()
        path.spread = min(max(6 * history.irregularity(), 0.4), 2)
        let previous = lastCentre.map { Float($0 - candidate.centre) / Float(rate) }
        return path.firstIsBeat(pending, rate: Float(rate), previous: previous, now: Float(now - candidate.centre) / Float(rate))
    }

    private mutating func remember(_ candidate: BeatCandidate) {
        if let lastCentre { history.add(Float(candidate.centre - lastCentre) / Float(rate), isCalm: !candidate.isNoisy) }
        (lastCentre, lastPosition) = (candidate.centre, candidate.position)
    }
}
