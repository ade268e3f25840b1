/// A stretch of a waveform as a device sent it.
package struct SampleBlock: Sendable {
    /// When the first sample was taken, Unix seconds.
    package var start: Double
    /// Seconds from one sample to the next, more than 0.
    package var period: Double
    /// In the metric's unit.
    package var samples: [Float]

    /// Makes a block.
    package init(start: Double, period: Double, samples: [Float]) {
        (self.start, self.period, self.samples) = (start, period, samples)
    }

    /// When the sample after the last would be taken.
    package var end: Double { start + Double(samples.count) * period }
}
