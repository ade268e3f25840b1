import Observability
import Shares
import Signals
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import StressAnalysis

/// An engine that goes with its share from one replica to the next, in a real database.
@Suite("The engine of a share", .timeLimit(.minutes(2)))
struct ShareEngineTests {
    private static let service = "vigil-stress"

    private let database: String
    private let state: PostgresState
    private let lines = Lines()

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init() throws {
        database = try PostgresServer.shared().makeDatabase()
        state = PostgresState(
            PostgresConfiguration(connection: database), PostgresStressState.schema, limit: .seconds(30), leases: .seconds(30))
    }

    /// A replica's right to share 3, taken from whoever had it before.
    private func claim(_ name: String) async throws -> LeaseHold {
        try await state.leases.prepare(service: Self.service, shares: 4)
        _ = try PostgresServer.psql(
            "UPDATE vigil_stress.lease SET expires = now() - interval '1 s' WHERE expires IS NOT NULL", in: database)
        let replica = ReplicaName(service: Self.service, name: name, process: name)
        _ = try await state.leases.beat(replica, held: [], lease: .seconds(9000))
        return try #require(try await state.leases.claim([3], for: replica, lease: .seconds(9000)).first)
    }

    private func engine(_ hold: LeaseHold, kept: KeptEngines = KeptEngines()) throws -> ShareEngine {
        let lines = lines
        return ShareEngine(
            state: PostgresStressState(state, share: try #require(Share(3, of: 4)), hold: hold), kept: kept,
            log: Logger(service: "test", level: .info, sink: { lines.add("\($0)") }))
    }

    /// What an engine says while somebody's heart rate comes for forty seconds.
    private func said(_ engine: inout StressEngine, _ name: String = "p1", from start: Double = 0) -> [String] {
        for second in 0..<40 {
            let time = WearerFeed.start + start + Double(second)
            let reading = Observation(metric: "heart-rate", time: Timestamp(seconds: time), content: .value(70), unit: "/min")
            engine.take(WearerFeed.batch(name, [reading], received: time), defaultMode: .enhanced)
        }
        defer { engine.published() }
        return engine.pending.values.flatMap { $0 }.compactMap { if case .text(let text) = $0.content { text } else { nil } }
    }

    @Test("goes to the next owner with everybody in it where it has published everything, and only once")
    func handOver() async throws {
        let first = try engine(try await claim("a"))
        var one = try await first.open()
        #expect(one.participantCount == 0 && !said(&one).contains { $0.contains("warming") } && one.participantCount == 1)
        await first.close(one, isDrained: true)
        let second = try engine(try await claim("b"))
        var two = try await second.open()
        #expect(second.state.hold.epoch == 2 && two.participantCount == 1)
        // Somebody new is known not to have been there before.
        #expect(!said(&two, "p2", from: 40).contains { $0.contains("warming") } && lines.all.isEmpty, "\(lines.all)")
        #expect(try PostgresServer.psql("SELECT count(*) FROM vigil_stress.analysis", in: database) == "0")
        let third = try engine(try await claim("c"))
        var three = try await third.open()
        #expect(three.participantCount == 0 && said(&three).contains { $0.contains("warming") })
        #expect(lines.all.count == 1 && lines.all[0].contains("begins anew"), "\(lines.all)")
    }

    @Test("that two owners before left is not taken for the last one's, nor what was left twice for two")
    func former() async throws {
        let first = try engine(try await claim("a"))
        var one = try await first.open()
        _ = said(&one)
        _ = said(&one, "p2")
        await first.close(one, isDrained: true)
        #expect(one.erase(participant: "p2").values.contains(1))
        one.saved()
        await first.close(one, isDrained: true)
        #expect(try PostgresServer.psql("SELECT string_agg(participant, ',') FROM vigil_stress.analysis", in: database) == "p1")
        _ = try await claim("b")
        let third = try engine(try await claim("c"))
        let three = try await third.open()
        #expect(third.state.hold.epoch == 3 && three.participantCount == 0 && lines.all.contains { $0.contains("begins anew") })
    }

    @Test("is not handed over while something waits to be published, nor by one who has lost the share")
    func unpublished() async throws {
        let first = try engine(try await claim("a"))
        var one = try await first.open()
        _ = said(&one)
        var waiting = one
        let reading = Observation(metric: "heart-rate", time: Timestamp(seconds: WearerFeed.start + 60), content: .value(70), unit: "/min")
        waiting.take(WearerFeed.batch("p1", [reading], received: WearerFeed.start + 60), defaultMode: .enhanced)
        #expect(!waiting.pending.isEmpty)
        await first.close(waiting, isDrained: true)
        #expect(lines.all.count == 1 && lines.all[0].contains("some of it is not published"), "\(lines.all)")
        let second = try engine(try await claim("b"))
        await first.close(one, isDrained: true)
        #expect(lines.all.count == 2 && lines.all[1].contains("is not handed over"), "\(lines.all)")
        var two = try await second.open()
        #expect(two.participantCount == 0 && said(&two).contains { $0.contains("warming") })
        #expect(lines.all.count == 3 && lines.all.last?.contains("begins anew") == true, "\(lines.all)")
    }

    @Test("stays with its owner while only the connection was away")
    func kept() async throws {
        let kept = KeptEngines(), hold = try await claim("a")
        var one = try await engine(hold, kept: kept).open()
        _ = said(&one)
        try await engine(hold, kept: kept).close(one, isDrained: false)
        #expect(try await engine(hold, kept: kept).open().participantCount == 1)
        #expect(try await engine(hold, kept: kept).open().participantCount == 0 && lines.all.isEmpty, "it was taken")
    }

    @Test("goes on without those whose analysis cannot be read, and says how many they are")
    func damaged() async throws {
        let person = try EngineSnapshot.encode(Participant(profile: StressProfile(), received: Timestamp(seconds: WearerFeed.start)))
        let first = try engine(try await claim("a"))
        try await first.state.handOver(EngineSnapshot(people: ["p1": person, "p2": [1, 2, 3], "p3": person]))
        let found = try await engine(try await claim("b")).open()
        #expect(found.participantCount == 2 && lines.all.count == 1, "\(lines.all)")
        #expect(lines.all.first.map { $0.contains("cannot be read") && $0.contains("unread") && $0.contains("3") } == true, "\(lines.all)")
    }

    // MARK: Profiles

    private func profile(_ mode: StressMode) -> StressProfile {
        var profile = StressProfile()
        (profile.mode, profile.baseline, profile.calibratedAt) = (mode, .population, 1_700_000_000.5)
        profile.bounds = StressBounds(heartRate: 50...110)
        return profile
    }

    @Test("profiles are each share's own, come back as they were kept, and are gone with the analysis once removed")
    func profiles() async throws {
        let hold = try await claim("a"), share = try engine(hold).state
        try await share.save(profile(.base), of: "p1")
        try await share.save(profile(.built), of: "p1")
        try await share.save(profile(.base), of: "p2")
        #expect(try await share.all() == ["p1": profile(.built), "p2": profile(.base)])
        let other = PostgresStressState(state, share: try #require(Share(2, of: 4)), hold: hold)
        #expect(try await other.all().isEmpty)
        try await share.handOver(EngineSnapshot(people: ["p1": [1], "p2": [2]]))
        try await share.remove([])
        #expect(try await share.all().count == 2)
        try await share.remove(["p1"])
        #expect(try await share.all() == ["p2": profile(.base)])
        #expect(try PostgresServer.psql("SELECT string_agg(participant, ',') FROM vigil_stress.analysis", in: database) == "p2")
        let next = try engine(try await claim("b")).state
        let found = try await next.open()
        #expect(found.profiles == ["p2": profile(.base)] && found.handOver == EngineSnapshot(people: ["p2": [2]]))
        // The text is the same whenever the profile is.
        let text = try PostgresServer.psql("SELECT content FROM vigil_stress.profile", in: database)
        let keys = text.split(separator: "\"").map(String.init).filter { ["baseline", "bounds", "calibratedAt", "mode"].contains($0) }
        #expect(keys == ["baseline", "bounds", "calibratedAt", "mode"])
    }

    @Test("profiles of one process go to the shares of their participants, where these have none yet")
    func adopts() async throws {
        let names = (0..<12).map { "p\($0)" }
        try await PostgresStressState.adopt(Dictionary(uniqueKeysWithValues: names.map { ($0, profile(.base)) }), shares: 4, into: state)
        try await PostgresStressState.adopt(["p0": profile(.built), "new": profile(.built)], shares: 4, into: state)
        let hold = LeaseHold(service: Self.service, share: 0, epoch: 1)
        var count = 0
        for share in Share.all(of: 4) {
            let found = try await PostgresStressState(state, share: share, hold: hold).all()
            count += found.count
            for (name, found) in found {
                #expect(Int(Partition(participant: name).number) % 4 == share.number && found == profile(name == "new" ? .built : .base))
            }
        }
        #expect(count == 13)
    }
}
