/// Undoes a recorder's fault: it added milliseconds to a start in seconds, so that a second became 1000.
///
/// The true time is `start + (time − start) / 1000`.
struct MillisecondCorrection: Hashable, Sendable {
    /// When the recording started, in microseconds since 1970; nil: a step before each subject's first time.
    let start: Int64?
    /// The step between two times as the file has it, in microseconds.
    let step: Int64
    private var starts: [Int: Int64] = [:]

    init(start: Int64?, step: Int64) {
        self.start = start
        self.step = step
    }

    /// The time at which it was.
    mutating func correct(_ time: Int64, subject: Int) -> Int64 {
        let start = start ?? starts[subject] ?? time - step
        starts[subject] = start
        return start + (time - start) / 1000
    }
}
