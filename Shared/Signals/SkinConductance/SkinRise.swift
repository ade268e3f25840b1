/// Watches one rise of the skin conductance from its foot to its peak, and the fall after it.
struct SkinRise: Sendable {
    private let rate: Double
    private let threshold = SkinConductanceDetector.smallestResponse
    private var started = false
    private var previous = 0.0
    private var foot = 0.0
    private var footPosition: Int64 = 0
    private var top = 0.0
    private var topPosition: Int64 = 0
    private var onset: Int64 = 0
    private var steepest = 0.0
    private var halfWay: Double?
    private var reported = false

    init(rate: Double) { self.rate = rate }

    mutating func restart() {
        started = false
        halfWay = nil
    }

    /// Takes a smoothed sample; returns what it made certain.
    mutating func step(_ value: Double, at position: Int64) -> SkinEvent? {
        if !started { start(value, position) }
        defer { previous = value }
        if value < foot { start(value, position) }
        let slope = value - previous
        noteOnset(slope, position)
        if value > top { (top, topPosition) = (value, position) }
        if let response = peak(value, position) { return .response(response) }
        return recovery(value, position)
    }

    private mutating func start(_ value: Double, _ position: Int64) {
        if !started { previous = value }
        (started, reported, steepest) = (true, false, 0)
        (foot, footPosition, onset, top, topPosition) = (value, position, position, value, position)
    }

    /// The rise begins where its slope was last below a twentieth of the steepest.
    private mutating func noteOnset(_ slope: Double, _ position: Int64) {
        if slope > steepest { steepest = slope }
        if top == foot || slope < 0.05 * steepest && top - foot < 0.2 * threshold { onset = position }
    }

    /// A fall of a fifth of the threshold, or of a twentieth of the response, ends the rise.
    private mutating func peak(_ value: Double, _ position: Int64) -> SkinResponse? {
        guard top - value > 0.2 * threshold else { return nil }
        let amplitude = top - foot
        let isResponse = amplitude >= threshold && Double(topPosition - onset) >= 0.3 * rate
        let response = SkinResponse(onset: onset, peak: topPosition, amplitude: Float(amplitude))
        if isResponse { halfWay = top - amplitude / 2 }
        start(value, position)
        return isResponse ? response : nil
    }

    private mutating func recovery(_ value: Double, _ position: Int64) -> SkinEvent? {
        guard let level = halfWay, value <= level else { return nil }
        halfWay = nil
        return .halfRecovered(at: position)
    }
}
