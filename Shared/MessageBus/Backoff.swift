/// How long to wait before connecting again: exponential with full jitter, so that many clients do not return in step.
///
/// Method: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
package struct Backoff: Sendable, Hashable {
    /// The ceiling of the first wait.
    package var base: Duration
    /// The ceiling of every wait.
    package var maximum: Duration
    /// How long a connection must have worked before the next failure counts as the first again.
    package var resetAfter: Duration

    package init(base: Duration = .milliseconds(100), maximum: Duration = .seconds(10), resetAfter: Duration = .seconds(10)) {
        self.base = base
        self.maximum = maximum
        self.resetAfter = resetAfter
    }

    /// The longest wait before the given attempt, the first being 1.
    package func ceiling(attempt: Int) -> Duration {
        let doublings = min(max(attempt - 1, 0), 30)
        return min(base * (1 << doublings), maximum)
    }

    /// A wait between nothing and the ceiling.
    package func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        // Fifty-three random bits are a fraction below 1; `Double.random` may ask a scripted generator for ever.
        ceiling(attempt: attempt) * (Double(random.next() >> 11) / Double(UInt64(1) << 53))
    }
}
