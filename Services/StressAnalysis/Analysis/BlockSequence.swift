/// A stretch of a waveform as a device sent it.
package struct SampleBlock: Sendable, Codable {
    /// The time of the first sample, Unix seconds.
    package var start: Double
    /// Seconds from one sample to the next, more than 0.
    package var period: Double
    /// In the metric's unit.
    package var samples: [Float]

    /// Makes a block.
    package init(start: Double, period: Double, samples: [Float]) {
        (self.start, self.period, self.samples) = (start, period, samples)
    }

    /// The time at which the sample after the last would be taken.
    package var end: Double { start + Double(samples.count) * period }
}

/// Puts the blocks of one waveform in order: waits a little for one that is missing, drops what came before, cuts overlaps,
/// and says where something is lost.
///
/// A value without I/O. Bounded: at most 64 blocks wait, for at most `patience` seconds of signal.
package struct BlockSequence: Sendable, Codable {
    /// The next operation of a detector.
    package enum Step: Sendable {
        /// Start anew at this many samples a second; position 0 is the next sample.
        case restart(rate: Double)
        /// So many samples are lost.
        case skip(Int)
        /// The next samples.
        case samples(ArraySlice<Float>)
    }

    /// The longest wait for a missing block, in seconds of signal.
    package static let patience = 4.0
    /// A longer hole starts anew, in seconds.
    package static let longestGap = 60.0
    private static let mostWaiting = 64
    /// Blocks with another period, in seconds a sample, are no waveform.
    package static let periods = 0.000_001...10

    /// Blocks that came twice or too late, and were dropped.
    package private(set) var dropped = 0
    private var waiting: [SampleBlock] = []
    private var period = 0.0
    private var anchorTime = 0.0
    private var anchorPosition: Int64 = 0
    /// The place of the next sample.
    package private(set) var position: Int64 = 0
    private var newest = -Double.infinity

    /// Makes a sequence that has seen nothing.
    package init() {}

    /// The end of the known signal, in Unix seconds; nil before the first block.
    package var end: Double? { period > 0 ? time(of: position) : nil }

    /// Samples a second; nil before the first block.
    package var rate: Double? { period > 0 ? 1 / period : nil }

    /// Returns the time of the sample at a position, Unix seconds.
    package func time(of position: Int64) -> Double { anchorTime + Double(position - anchorPosition) * period }

    /// Takes a block, and appends the steps that it makes certain. One that is no waveform is passed over.
    package mutating func add(_ block: SampleBlock, into steps: inout [Step]) {
        guard Self.periods.contains(block.period), !block.samples.isEmpty, block.start.isFinite else { return }
        newest = max(newest, block.end)
        if period == 0 { restart(block, into: &steps) }
        if let end, block.end <= end - tolerance(block) { return dropped += 1 }
        let index = waiting.lastIndex { $0.start <= block.start }.map { $0 + 1 } ?? 0
        waiting.insert(block, at: index)
        release(into: &steps)
    }

    /// Forgets everything, as before the first block.
    package mutating func reset() { self = BlockSequence() }

    private func tolerance(_ block: SampleBlock) -> Double { max(0.75 * block.period, 0.004) }

    private mutating func release(into steps: inout [Step]) {
        while let block = waiting.first, let end {
            let ahead = block.start - end
            let isDue = ahead <= tolerance(block) || newest - end > Self.patience || waiting.count >= Self.mostWaiting
            guard isDue else { return }
            waiting.removeFirst()
            apply(block, ahead: ahead, into: &steps)
        }
    }

    private mutating func apply(_ block: SampleBlock, ahead: Double, into steps: inout [Step]) {
        if abs(block.period / period - 1) > 0.01 || ahead > Self.longestGap { restart(block, into: &steps) }
        let shift = ((block.start - time(of: position)) / period).rounded()
        if shift < 0 && Int(-shift) >= block.samples.count { return dropped += 1 }
        if shift > 0 && ahead > tolerance(block) {
            steps.append(.skip(Int(shift)))
            position += Int64(shift)
        }
        let overlap = shift < 0 ? Int(-shift) : 0
        let rest = block.samples[overlap...]
        // The device's clock leads, so that it and the count of samples cannot drift apart.
        (anchorTime, anchorPosition) = (block.start + Double(overlap) * block.period, position)
        steps.append(.samples(rest))
        position += Int64(rest.count)
    }

    private mutating func restart(_ block: SampleBlock, into steps: inout [Step]) {
        (period, anchorTime, anchorPosition, position) = (block.period, block.start, 0, 0)
        steps.append(.restart(rate: 1 / block.period))
    }
}
