#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// When and how hard a person moves in the course of a day: 0 at rest, 1 climbing stairs.
struct VitalActivity: Sendable {
    private struct Bout {
        var start: Double
        var end: Double
        var intensity: Double
    }

    /// The time constant with which the body follows, in seconds.
    private static let response = 45.0
    private let bouts: [Bout]

    /// - Parameters:
    ///   - length: in seconds; the course starts at midnight.
    ///   - seed: of the bouts.
    init(length: Double, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bouts: [Bout] = []
        var time = 0.0
        while time < length {
            time += random.wait(rate: 1.0 / 1500)
            let hour = (time / 3600).truncatingRemainder(dividingBy: 24)
            guard (7..<22.5).contains(hour) else { continue }
            let isWalk = random.uniform() < 0.4
            let seconds = isWalk ? 300 + 1500 * random.uniform() : 30 + 120 * random.uniform()
            let intensity = isWalk ? 0.4 + 0.3 * random.uniform() : 0.5 + 0.5 * random.uniform()
            bouts.append(Bout(start: time, end: time + seconds, intensity: intensity))
            time += seconds
        }
        self.bouts = bouts
    }

    /// The level at a time, rising and decaying with the body's response.
    func level(at time: Double) -> Double {
        guard let bout = bouts.last(where: { $0.start <= time }) else { return 0 }
        if time < bout.end { return bout.intensity * (1 - exp(-(time - bout.start) / Self.response)) }
        let reached = bout.intensity * (1 - exp(-(bout.end - bout.start) / Self.response))
        return reached * exp(-(time - bout.end) / (2 * Self.response))
    }
}
