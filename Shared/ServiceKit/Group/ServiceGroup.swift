/// Runs services until the first stop signal, the first error, or the first of them that returns; then drains them all.
///
/// Members start in the order given, each after the one before has `started`; so the order is the order of dependency,
/// and what brings the load (a consumer) stands last. Draining goes the other way: the last member is asked to finish,
/// its end is awaited, then the one before it, and so on. Past the deadline whatever still runs is cancelled.
package struct ServiceGroup: Service {
    let members: [Member]
    let deadline: Duration
    let signals: [Int32]
    let onProgress: @Sendable (Progress) -> Void

    /// Makes a group; nothing runs yet.
    /// - Parameters:
    ///   - members: in order of dependency.
    ///   - deadline: how long draining may take in all before the rest is cancelled.
    ///   - stopOn: the signals that start draining; empty to leave signals alone.
    ///   - onProgress: hears what happens; called from the group's task, must return at once.
    package init(
        _ members: [Member], deadline: Duration = .seconds(20), stopOn signals: [Int32] = StopSignals.usual,
        onProgress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        self.members = members
        self.deadline = deadline
        self.signals = signals
        self.onProgress = onProgress
    }

    /// Returns once every member has ended; throws the first member's error that was not a consequence of stopping.
    package func run() async throws {
        let stops = StopSignals(signals)
        defer { stops.restore() }
        var run = GroupRun(group: self)
        try await run.run(stops: stops)
    }
}
