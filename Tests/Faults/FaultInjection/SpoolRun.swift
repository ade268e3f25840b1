import Foundation
package import SuiteHarness
import TestSupport

/// `vigil publish --spool` sends numbered readings while the broker is killed with SIGKILL again and again; judged by identity at the end.
package struct SpoolRun: Sendable {
    private let store: StoreUnderTest.Kind
    private let count: Int
    private let kills: Int
    private let readings = NumberedReadings(base: 1_700_000_000, participants: 1)
    private let say: @Sendable (String) -> Void

    /// - Parameters:
    ///   - count: readings, each a message of its own.
    ///   - kills: how often the broker is killed, at even distances.
    ///   - say: takes progress.
    package init(store: StoreUnderTest.Kind, count: Int, kills: Int, say: @escaping @Sendable (String) -> Void = { _ in }) {
        self.store = store
        self.count = count
        self.kills = kills
        self.say = say
    }

    /// Carries it out. Throws where it could not be carried out; what the suite did wrong is in the verdict.
    package func run() async throws -> FaultRun.Verdict {
        var plan = FaultPlan(seed: 1, store: store)
        plan.kinds = [.killBroker]
        return try await FaultySuite.with(plan) { suite in
            try await suite.start()
            return try await run(suite)
        }
    }

    private func run(_ suite: FaultySuite) async throws -> FaultRun.Verdict {
        let start = ContinuousClock.now
        let pipe = try LinePipe(path: suite.folder.path("readings"))
        let device = try publish(from: pipe, to: suite)
        var given = 0
        func give(upTo next: Int) async throws {
            try await pipe.write(lines(given..<next))
            given = next
        }
        for kill in 1...kills {
            let share = count * kill / (kills + 1)
            try await give(upTo: share)
            try await eventually(within: .seconds(600), "share \(kill) of \(kills + 1) is stored") {
                guard !device.hasEnded else { throw HarnessError("vigil publish ended early: \(device.output)") }
                return stored(suite) >= Double(share)
            }
            // On its way when the broker dies.
            try await give(upTo: share + count / (2 * kills + 2))
            say("\(Int(stored(suite))) are stored; killing the broker")
            try await suite.carryOut(.killBroker)
        }
        try await give(upTo: count)
        pipe.close()
        let code = try await device.waitForExit(within: .seconds(600))
        let seconds = start.duration(to: .now).components.seconds
        let census = try await suite.store.census(readings, expected: count)
        var problems = census.isPerfect ? [] : ["\(census)"]
        if code != 0 { problems.append("vigil publish ended with \(code)") }
        problems += suite.services.compactMap { CounterCheck.problem($0) }
        return FaultRun.Verdict(problems: problems, remarks: "\(kills) kills in \(seconds) s; vigil publish says: \(device.output)")
    }

    private func stored(_ suite: FaultySuite) -> Double { suite.services[0].metric("vigil_timeline_observations_stored_total") ?? 0 }

    private func lines(_ numbers: Range<Int>) -> String {
        numbers.map { number in
            let reading = readings.reading(number)
            return #"{"metric":"\#(reading.metric)","time":\#(reading.second),"value":\#(Int(readings.value(number)))}"# + "\n"
        }.joined()
    }

    /// Starts the device, whose readings come on its standard input.
    private func publish(from pipe: LinePipe, to suite: FaultySuite) throws -> ChildProcess {
        try ChildProcess(
            BuiltCommand.path("vigil"),
            [
                "publish", "--participant", "bench-000", "--device", "bench", "--spool", suite.folder.path("spool.sqlite"),
                "--receipt-within", "3s",
                "--broker-port", "\(suite.broker.port)",
            ], input: pipe.path, output: suite.folder.path("publish.log"))
    }
}

/// The command line of `vigil-faults spool`.
package struct SpoolRequest: Sendable {
    private var readings = 100_000
    private var kills = 5
    private var store = StoreUnderTest.Kind.sqlite

    /// Reads `[--readings N] [--kills N] [--store sqlite|postgres]`.
    package init(_ words: [String]) throws {
        var words = words[...]
        while let word = words.popFirst() {
            let value = words.popFirst() ?? ""
            switch (word, Int(value), StoreUnderTest.Kind(rawValue: value)) {
            case ("--readings", let number?, _) where number > 0: readings = number
            case ("--kills", let number?, _) where number > 0: kills = number
            case ("--store", _, let kind?): store = kind
            default: throw HarnessError("spool takes --readings N, --kills N and --store sqlite|postgres, not \(word) \(value)")
            }
        }
    }

    /// Says whether every reading is stored once.
    package func run() async -> Bool {
        let say: @Sendable (String) -> Void = { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) }
        do {
            let verdict = try await SpoolRun(store: store, count: readings, kills: kills, say: say).run()
            for problem in verdict.problems { say("WRONG: \(problem)") }
            say("\(readings) readings, \(store.rawValue): \(verdict.problems.isEmpty ? "all stored once" : "FAILED"); \(verdict.remarks)")
            return verdict.problems.isEmpty
        } catch {
            say("could not be carried out: \(error)")
            return false
        }
    }
}
