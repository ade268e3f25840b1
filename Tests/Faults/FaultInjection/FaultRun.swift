import Foundation
import SuiteHarness
import TestSupport

/// One run of the suite under faults, judged by identity at the end.
package struct FaultRun: Sendable {
    /// What came out.
    package struct Verdict: Sendable {
        /// What is wrong; empty where every promise was kept.
        package let problems: [String]
        /// Memory, restarts, times.
        package let remarks: String
    }

    private let plan: FaultPlan
    private let say: @Sendable (String) -> Void
    private let readings = NumberedReadings(base: 1_700_000_000)

    /// - Parameter say: takes progress.
    package init(_ plan: FaultPlan, say: @escaping @Sendable (String) -> Void = { _ in }) {
        self.plan = plan
        self.say = say
    }

    /// Carries it out. Throws where it could not be carried out; what the suite did wrong is in the verdict.
    package func run() async throws -> Verdict {
        let suite = try await FaultySuite(plan)
        do {
            let verdict = try await run(suite)
            await suite.close()
            return verdict
        } catch {
            await suite.close()
            throw error
        }
    }

    private func run(_ suite: FaultySuite) async throws -> Verdict {
        try await suite.start()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await suite.supervise() }
            let start = ContinuousClock.now
            let publisher = try publish(to: suite)
            try await inflict(on: suite)
            _ = try await publisher.result()
            let verdict = try await judge(suite, since: start)
            suite.endSupervision()
            try await group.waitForAll()
            return verdict
        }
    }

    private func publish(to suite: FaultySuite) throws -> LimitProgram {
        let messages = plan.readings / plan.perMessage
        let rate = max(1, Int(Double(messages) / plan.seconds))
        return try LimitProgram(
            "publish",
            [
                "--port", "\(suite.broker.port)", "--format", "device", "--count", "\(messages)", "--per-message", "\(plan.perMessage)",
                "--rate", "\(rate)", "--window", "200", "--seed", "\(plan.seed)", "--duplicates-permille", "\(plan.duplicates)",
                "--poison-permille", "\(plan.poison)", "--resend-seconds", plan.kinds.contains(.killBroker) ? "5" : "0",
            ] + readings.flags, in: suite.folder)
    }

    private func inflict(on suite: FaultySuite) async throws {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for entry in plan.schedule.entries {
                try await Task.sleep(until: start + .seconds(entry.at))
                say("\((entry.at * 10).rounded() / 10) s: \(entry.fault)")
                group.addTask { try await suite.carryOut(entry.fault) }
            }
            try await group.waitForAll()
        }
    }

    private func judge(_ suite: FaultySuite, since start: ContinuousClock.Instant) async throws -> Verdict {
        say("published; waiting for what is under way")
        let census = try await settledCensus(suite)
        var problems = census.isPerfect ? [] : ["\(census)"]
        problems += try await RollupCheck(store: suite.store).problems()
        problems += suite.services.compactMap { CounterCheck.problem($0) }
        let seconds = start.duration(to: .now).components.seconds
        let logs = problems.isEmpty ? "" : suite.services.map { "\n\($0.name):\n\($0.lastLines)" }.joined()
        return Verdict(problems: problems, remarks: "\(plan.readings) readings in \(seconds) s; \(suite.report)\(logs)")
    }

    /// The census once it is perfect, or when nothing has been added for 40 seconds.
    private func settledCensus(_ suite: FaultySuite) async throws -> Census {
        var stored = -1
        var changed = ContinuousClock.now
        while true {
            if let count = try? await suite.store.rows("SELECT count(*) FROM reading").first.flatMap({ Int($0[0]) }), count != stored {
                stored = count
                changed = .now
            }
            if stored >= plan.readings || changed.duration(to: .now) > .seconds(40) {
                return try await suite.store.census(readings, expected: plan.readings)
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
