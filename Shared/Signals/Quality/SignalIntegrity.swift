/// The problem with a signal, so that nothing can be said from it.
package enum SignalFault: String, Hashable, Sendable, Codable {
    /// There is none.
    case missing
    /// It does not change: the sensor is off or not connected.
    case flat
    /// It only jumps between levels: a test signal or a loose contact, nothing from a body.
    case stepwise
    /// It is cut off at the ends of the sensor's range.
    case clipped
}

/// Looks whether a signal can come from a body at all: not flat, not a square wave, not cut off at its ends.
///
/// It picks a value every few milliseconds, and judges the last seconds of them six times in that span.
struct SignalIntegrity: Sendable, Codable {
    private let stride: Int
    private let window: Int
    private let floor: Float
    private var picks: [Float]
    private var count = 0
    private var untilPick = 0
    private(set) var fault: SignalFault?

    /// - Parameters:
    ///   - step: seconds from one pick to the next.
    ///   - window: how many seconds are judged.
    ///   - floor: a signal with a smaller range is flat, in its unit.
    init(rate: Double, step: Double, window: Double, floor: Float) {
        stride = max(1, Int(step * rate))
        self.window = max(8, Int(window * rate) / stride)
        self.floor = floor
        picks = Array(repeating: 0, count: self.window)
    }

    mutating func restart() { (count, untilPick, fault) = (0, 0, nil) }

    /// A Boolean value that indicates whether what moves in it comes from no body; a signal that is cut off at its ends still carries a rhythm.
    var carriesNothing: Bool { fault == .flat || fault == .stepwise }

    /// A Boolean value that indicates whether enough is known to say that it carries something.
    var isSound: Bool { !carriesNothing && count >= window / 3 }

    /// Takes a sample.
    @inline(__always)
    mutating func step(_ x: Float) {
        untilPick -= 1
        guard untilPick < 0 else { return }
        untilPick = stride - 1
        pick(x)
    }

    private mutating func pick(_ x: Float) {
        picks[count % window] = x
        count += 1
        if count >= window / 3, count % max(1, window / 6) == 0 { fault = judged() }
    }

    private func judged() -> SignalFault? {
        let known = min(count, window)
        var (low, high) = (picks[0], picks[0])
        for index in 0..<known { (low, high) = (min(low, picks[index]), max(high, picks[index])) }
        let range = high - low
        if range < floor { return .flat }
        if isStepwise(known, range: range) { return .stepwise }
        return isClipped(known, low: low, high: high) ? .clipped : nil
    }

    /// Nearly every change is none or nearly all of the range.
    private func isStepwise(_ known: Int, range: Float) -> Bool {
        var (jumps, others) = (0, 0)
        // Where the newest pick lies beside the oldest there is no step of the signal; the last is followed by the first.
        let seam = count % window
        var before = known == window && seam != 0 ? picks[window - 1] : picks[0]
        for index in 0..<known {
            let change = index == seam ? 0 : abs(picks[index] - before)
            before = picks[index]
            if change > 0.6 * range { jumps += 1 } else if change > 0.03 * range { others += 1 }
        }
        return jumps > 0 && others * 50 <= known
    }

    /// A sixth of the time exactly at one end, and not just resting there as a baseline does.
    private func isClipped(_ known: Int, low: Float, high: Float) -> Bool {
        var (lowest, highest) = (0, 0)
        for index in 0..<known {
            if picks[index] == low { lowest += 1 }
            if picks[index] == high { highest += 1 }
        }
        return highest * 6 > known || (lowest * 6 > known && highest * 20 > known)
    }
}

/// The movement of a sensor, from the acceleration along its axes, which may arrive apart and at different rates.
package struct MotionMeter: Sendable, Codable {
    /// Above this many m/s² the wearer counts as moving: rest on a chair gives about 0.1, typing 0.4, walking 2 and more.
    package static let movingAbove = 0.8

    private var means = [Double?](repeating: nil, count: 3)
    private var squares = [Double](repeating: 0, count: 3)

    /// Makes a meter that has seen nothing.
    package init() {}

    /// Takes samples in m/s² of axis 0, 1 or 2, at `rate` a second. What is no number is passed over.
    package mutating func process(_ samples: Span<Float>, axis: Int, rate: Double) {
        guard means.indices.contains(axis), rate > 0 else { return }
        let share = min(1, 1 / (2 * rate))
        for index in samples.indices where abs(samples[index]) < 1e4 {
            let value = Double(samples[index])
            let mean = means[axis] ?? value
            means[axis] = mean + share * (value - mean)
            squares[axis] += share * ((value - mean) * (value - mean) - squares[axis])
        }
    }

    /// The standard deviation over about two seconds, all axes together, in m/s²; nil before the first sample.
    package var intensity: Double? {
        means.contains { $0 != nil } ? squares.reduce(0, +).squareRoot() : nil
    }

    /// A Boolean value that indicates whether the wearer moves.
    package var isMoving: Bool { (intensity ?? 0) > Self.movingAbove }
}
