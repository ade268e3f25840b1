/// Undoes a recorder's fault: it added milliseconds to a start in seconds, so that a second became 1000.
///
/// The true time is `start + (time − start − lag) / 1000`: the recorder counted samples from 1, so that the first one came a
/// sampling step (in its seconds) after the start.
struct MillisecondCorrection: Hashable, Sendable {
    /// When the recording started, in microseconds since 1970; nil: `lag` before each subject's first time.
    let start: Int64?
    /// The first sample's time after the start, as the file has it, in microseconds; 0 for beats, which carry their own.
    let lag: Int64
    private var starts: [Int: Int64] = [:]

    init(start: Int64?, lag: Int64) {
        self.start = start
        self.lag = lag
    }

    /// The time at which it was.
    mutating func correct(_ time: Int64, subject: Int) -> Int64 {
        let start = start ?? starts[subject] ?? time - lag
        starts[subject] = start
        return start + (time - start - lag) / 1000
    }
}
