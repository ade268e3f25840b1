#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Random numbers that are the same for the same seed on every machine: SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence that belongs to `seed`.
    package init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Evenly distributed from 0 up to, but not including, 1.
    package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Normally distributed, mean 0 and standard deviation 1 (Box–Muller).
    package mutating func normal() -> Double {
        let radius = (-2 * log(1 - uniform())).squareRoot()
        return radius * cos(2 * .pi * uniform())
    }

    /// The wait for the next event of a process with `rate` events a second, in seconds.
    package mutating func wait(rate: Double) -> Double { -log(1 - uniform()) / rate }
}
