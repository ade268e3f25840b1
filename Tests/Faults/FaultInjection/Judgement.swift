import Foundation
import SuiteHarness
import TestSupport

/// The oracle's demands at the end of a run, each by identity and read without Vigil's own code.
struct Judgement {
    let plan: FaultPlan
    let suite: FaultySuite
    let waves: WaveCheck
    let alerts: AlertCheck
    let watch: AlertWatch
    let bystander: Bystander
    let say: @Sendable (String) -> Void

    /// Of readings: not what services derived.
    private let sent = "p.name LIKE 'bench-%' AND r.source IN (SELECT id FROM source WHERE name NOT LIKE 'vigil-%')"

    /// Waits until everything under way has arrived, or nothing has come for a minute, and checks all promises.
    func verdict(since start: ContinuousClock.Instant) async throws -> FaultRun.Verdict {
        say("published; waiting for what is under way")
        try await suite.sealing?.end()
        try await settle(at: plan.readings) { try await rows("reading", where: sent) }
        try await settle(at: waves.blocks) { try await rows("waveform", where: "p.name LIKE 'wave-%'") }
        try await settle(at: suite.crowd.expectedCorrections) { try await suite.crowd.storedCorrections(in: suite.store) }
        var problems = try await readingProblems()
        problems += try await RollupCheck(store: suite.store).problems()
        let packing = RepeatedPacking(plan, suite.store)
        try await settle(at: 1) { try await packing.passes() ?? 1 }
        let passes = try await packing.passes()
        if passes == 0 { problems.append("no month was packed") }
        problems += try await waves.problems(in: suite.store)
        if plan.others.contains("vigil-alert") { problems += try await alertProblems() }
        problems += try await bystander.problems(in: suite.store, limit: plan.isHostileOnly ? .seconds(2) : nil)
        problems += try await suite.crowd.problems(in: suite.store, forgets: plan.schedule.killsBroker)
        problems += suite.services.compactMap { CounterCheck.problem($0) }
        problems += suite.greedy(beyond: plan.memory)
        problems += try await statusProblems()
        let seconds = start.duration(to: .now).components.seconds
        let logs = problems.isEmpty ? "" : suite.services.map { "\n\($0.name): \($0.counters)\n\($0.lastLines)" }.joined()
        return FaultRun.Verdict(
            problems: problems,
            remarks: """
                \(plan.readings) readings, \(alerts.expected) alert events, \(suite.crowd.confirmed) readings without a time, \
                \(suite.crowd.changedProfiles) changed profiles, months packed \(passes ?? 0) times, \
                \(suite.sealing?.mostSealed ?? 0) readings sealed at once, a bystander \
                waited \(bystander.longest) at most, in \(seconds) s; \(suite.report)\(logs)
                """)
    }

    private func readingProblems() async throws -> [String] {
        let census = try await suite.store.census(plan.load.readings, expected: plan.readings)
        return census.isPerfect ? [] : ["\(census)"]
    }

    /// Checks that what the service decided has reached everybody; and it must be what the model expects, unless the broker was killed: then
    /// readings may have come to the service late, or only to the store.
    private func alertProblems() async throws -> [String] {
        let history = AlertHistory(path: suite.stateFile("vigil-alert-main.state.sqlite"))
        try await settle(at: alerts.expected) { try await history.events().count }
        let decided = try await history.events()
        try await settle(at: 0) { -Set(decided).subtracting(watch.lines).count }
        try await settle(at: decided.count) { try await rows("alert_event", where: "p.name LIKE 'bench-%'") }
        var problems = history.problems(decided, seen: watch.lines)
        let stored = try await rows("alert_event", where: "p.name LIKE 'bench-%'")
        if stored != decided.count { problems.append("\(stored) alert events are stored, of \(decided.count)") }
        if !plan.schedule.killsBroker { problems += alerts.problems(watch.events()) }
        let retained = try await AlertWatch.retained("vigil/v1/alerts/+/+", suite.broker)
        problems += suite.crowd.problems(retained: retained)
        let raised = decided.filter { $0.contains(#""transition":"raised""#) && $0.contains(#""rule":"high""#) }
        let people = Set(raised.compactMap(AlertHistory.participant))
        try await settle(at: 0) { -people.subtracting(suite.notifiers.peopleTold()).count }
        problems += suite.notifiers.problems(raised: people, limit: plan.isHostileOnly ? 4 : nil)
        problems += plan.schedule.killsBroker ? history.problems(decided, retained: retained) : alerts.problems(retained: retained)
        try await watch.stop()
        return problems
    }

    /// Each service must be online in its retained state, which it says again up to ten seconds after its connection was broken.
    private func statusProblems() async throws -> [String] {
        try await settle(at: plan.services.count) { plan.services.count - (try await silent().count) }
        return try await silent().map { "\($0) is not online in its retained state" }
    }

    private func silent() async throws -> [String] {
        let states = try await AlertWatch.retained("vigil/v1/modules/+/+/status", suite.broker)
        let online = Set(states.filter { $0.value.contains("\"online\"") }.keys.map { $0.split(separator: "/")[3] })
        return plan.services.filter { !online.contains(Substring($0)) }
    }

    private func rows(_ table: String, where condition: String) async throws -> Int {
        let rows = try? await suite.store.rows(
            "SELECT count(*) FROM \(table) r JOIN participant p ON p.id = r.participant WHERE \(condition)")
        return rows?.first.flatMap { Int($0[0]) } ?? -1
    }

    /// Waits until a count is reached or 300 looks, a fifth of a second and more apart, found it unchanged: looks rather than seconds, because
    /// on a busy machine both the looks and what is looked at take longer.
    private func settle(at goal: Int, _ count: () async throws -> Int) async throws {
        var last = Int.min
        var unchanged = 0
        while unchanged < 300 {
            let now = try await count()
            if now >= goal { return }
            unchanged = now == last ? unchanged + 1 : 0
            last = now
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
