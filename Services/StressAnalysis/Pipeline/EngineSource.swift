import Observability
import Shares
import Synchronization

/// Where a pipeline's engine comes from when its work begins, and where it goes when it ends.
package protocol EngineSource: Sendable {
    /// Keeps what the engine wants remembered.
    var profiles: any ProfileStore { get }
    /// The engine with which to begin.
    func open() async throws -> StressEngine
    /// Takes the engine when nothing more is done with it.
    /// - Parameter isDrained: everything that it has caused is published and acknowledged.
    func close(_ engine: StressEngine, isDrained: Bool) async
}

/// The engine of a process that has no replicas.
package struct LocalEngine: EngineSource {
    package let profiles: any ProfileStore

    package init(profiles: any ProfileStore) { self.profiles = profiles }

    package func open() async throws -> StressEngine { StressEngine(profiles: try await profiles.all()) }
    package func close(_ engine: StressEngine, isDrained: Bool) async {}
}

/// The engine of a share: it goes with the share to the next replica where the hand-over is a clean one, and stays in memory while only the connection
/// was lost.
struct ShareEngine: EngineSource {
    let state: PostgresStressState
    let kept: KeptEngines
    let log: Logger
    var profiles: any ProfileStore { state }

    func open() async throws -> StressEngine {
        if let engine = kept.take(state.hold) { return engine }
        let found = try await state.open()
        var engine = StressEngine(profiles: found.profiles, isSuccessor: found.handOver == nil && state.hold.epoch > 1)
        let unread = found.handOver.map { engine.resume($0) } ?? 0
        let people = found.handOver?.people.count ?? 0
        if found.handOver == nil, state.hold.epoch > 1 { log.notice("a share's analysis begins anew: its former owner left nothing") }
        if unread > 0 { log.warning("a share's analysis cannot be read for some", ["people": "\(people)", "unread": "\(unread)"]) }
        return engine
    }

    func close(_ engine: StressEngine, isDrained: Bool) async {
        guard isDrained else { return kept.keep(engine, state.hold) }
        do {
            guard let snapshot = try engine.snapshot() else {
                return log.warning("a share's analysis is not handed over: some of it is not published")
            }
            try await state.handOver(snapshot)
        } catch {
            log.warning("a share's analysis is not handed over", ["error": "\(error)"])
        }
    }
}

/// The engines of shares whose connection was lost, until the work begins again. Threading: from anywhere.
final class KeptEngines: Sendable {
    private struct Kept {
        let hold: LeaseHold
        let since: ContinuousClock.Instant
        let engine: StressEngine
    }

    /// A share that is still owned is worked on again long before.
    private static let longest = Duration.seconds(120)
    private let engines = Mutex<[Int: Kept]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    func keep(_ engine: StressEngine, _ hold: LeaseHold) {
        let time = now()
        engines.withLock { engines in
            Self.tidy(&engines, at: time)
            engines[hold.share] = Kept(hold: hold, since: time, engine: engine)
        }
    }

    /// The engine that was kept under the same right, or the one before: then nobody else had the share in between.
    func take(_ hold: LeaseHold) -> StressEngine? {
        let time = now()
        return engines.withLock { engines in
            Self.tidy(&engines, at: time)
            guard let kept = engines.removeValue(forKey: hold.share), kept.hold.epoch >= hold.epoch - 1 else { return nil }
            return kept.engine
        }
    }

    private static func tidy(_ engines: inout [Int: Kept], at time: ContinuousClock.Instant) {
        engines = engines.filter { $0.value.since.duration(to: time) < longest }
    }
}
