import Foundation
import SuiteHarness
import TestSupport

/// One run of the suite under faults, judged by identity at the end.
package struct FaultRun: Sendable {
    /// The outcome of a run.
    package struct Verdict: Sendable {
        /// The broken promises; empty where every one was kept.
        package var problems: [String]
        /// Memory, restarts, times.
        package let remarks: String
    }

    private let plan: FaultPlan
    private let say: @Sendable (String) -> Void
    private let waves: WaveCheck
    private let alerts: AlertCheck

    /// - Parameter say: takes progress.
    package init(_ plan: FaultPlan, say: @escaping @Sendable (String) -> Void = { _ in }) {
        self.plan = plan
        self.say = say
        waves = WaveCheck(seconds: plan.seconds)
        alerts = AlertCheck(plan.load)
    }

    /// Carries it out. Throws where it could not be carried out; what the suite did wrong is in the verdict.
    package func run() async throws -> Verdict {
        try await FaultySuite.with(plan) { suite in try await run(suite) }
    }

    private func run(_ suite: FaultySuite) async throws -> Verdict {
        let watch = try AlertWatch(suite.broker, in: suite.folder)
        // Sees everything, and is far too slow for it.
        let slow = try LimitProgram(
            "subscribe",
            [
                "--port", "\(suite.broker.port)", "--client-id", "slow", "--filter", "vigil/v1/#", "--pause-us", "20000", "--count",
                "9999999",
            ],
            in: suite.folder)
        try await suite.start()
        try await suite.sealing?.set(false)
        try await RepeatedPacking(plan, suite.store).begin()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let bystander = Bystander(suite.broker)
            group.addTask { await suite.supervise() }
            group.addTask { try await bystander.run() }
            defer {
                suite.endSupervision()
                bystander.end()
            }
            let start = ContinuousClock.now
            let publishers = try publish(to: suite)
            try await inflict(on: suite)
            var refused: Int64 = 0
            for publisher in publishers { refused += try await publisher.result()["refused"] ?? 0 }
            bystander.end()
            let judgement = Judgement(plan: plan, suite: suite, waves: waves, alerts: alerts, watch: watch, bystander: bystander, say: say)
            var verdict = try await judgement.verdict(since: start)
            if refused > 0 { verdict.problems.append("\(refused) messages were refused by their receipts") }
            slow.signal(SIGKILL)
            suite.endSupervision()
            try await group.waitForAll()
            return verdict
        }
    }

    /// The numbered readings and the electrocardiograms. Where the broker forgets what it acknowledged, they ask for receipts.
    private func publish(to suite: FaultySuite) throws -> [LimitProgram] {
        let load = plan.load
        let wantsReceipts = plan.schedule.killsBroker
        let rate = max(1, Int(Double(load.messages) / plan.seconds))
        let numbered = try LimitProgram(
            "publish",
            [
                "--port", "\(suite.broker.port)", "--format", "device", "--count", "\(load.messages)", "--per-message",
                "\(load.perMessage)",
                "--rate", "\(rate)", "--window", "200", "--seed", "\(plan.seed)", "--duplicates-permille", "\(plan.duplicates)",
                "--poison-permille", "\(plan.poison)", "--reorder-permille", "\(plan.reorder)", "--receipts", wantsReceipts ? "1" : "0",
            ] + load.readings.flags, in: suite.folder)
        return [numbered, try waves.publish(port: suite.broker.port, receipts: wantsReceipts, in: suite.folder)]
    }

    /// Carries out the faults of each target one after the other, even where taking it back takes longer than foreseen.
    private func inflict(on suite: FaultySuite) async throws {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for entries in Dictionary(grouping: plan.schedule.entries, by: \.fault.target).values {
                group.addTask { try await inflict(entries, on: suite, since: start) }
            }
            try await group.waitForAll()
        }
    }

    private func inflict(_ entries: [Schedule.Entry], on suite: FaultySuite, since start: ContinuousClock.Instant) async throws {
        for entry in entries {
            try await Task.sleep(until: start + .seconds(entry.at))
            say("\(entry)")
            try await suite.carryOut(entry.fault)
        }
    }
}
