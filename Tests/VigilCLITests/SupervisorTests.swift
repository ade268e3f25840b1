import Foundation
import MessageBus
import Observability
import Settings
import Synchronization
import TestSupport
import Testing

@testable import VigilCLI

@Suite("A supervisor", .timeLimit(.minutes(4)))
struct SupervisorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Supervises a shell script until it has seen what it wants; returns the events.
    private func events(_ script: String, until isDone: @escaping @Sendable ([Supervisor.Event]) -> Bool) async throws -> [Supervisor.Event]
    {
        let seen = Mutex<[Supervisor.Event]>([])
        let log = folder.path("log")
        let done = Latch()
        let supervisor = Supervisor(
            "child", backoff: Backoff(base: .milliseconds(1), maximum: .milliseconds(4), resetAfter: .seconds(60)),
            launch: {
                SupervisedProcess.Launch(
                    program: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"], log: log)
            },
            onEvent: { event in
                let all = seen.withLock { seen in
                    seen.append(event)
                    return seen
                }
                if isDone(all) { done.open() }
            })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await supervisor.run() }
            await done.wait()
            supervisor.stop()
            try await tasks.waitForAll()
        }
        return seen.withLock { $0 }
    }

    @Test("starts a program again, with a pause that doubles up to a ceiling")
    func backoff() async throws {
        let events = try await events("exit 3") { events in events.count { if case .died = $0 { true } else { false } } == 4 }
        let deaths = events.compactMap { event -> Duration? in if case .died(3, let again) = event { again } else { nil } }
        #expect(deaths.prefix(4) == [.milliseconds(1), .milliseconds(2), .milliseconds(4), .milliseconds(4)])
        #expect(events.last == .stopped)
    }

    @Test("asks a running program to end, and waits for it")
    func stop() async throws {
        let events = try await events("trap 'echo asked; exit 0' TERM; while :; do sleep 0.05; done") { events in
            if case .started = events.last { true } else { false }
        }
        #expect(events.count == 2 && events.last == .stopped)
    }

    @Test("gives up on a program whose settings keep it from starting, with what it said")
    func hopeless() async throws {
        let log = folder.path("log")
        let supervisor = Supervisor(
            "child",
            launch: {
                SupervisedProcess.Launch(
                    program: "/bin/sh", arguments: ["-c", "echo no such setting >&2; exit 64"], environment: [:], log: log)
            },
            onEvent: { _ in })
        let error = await #expect(throws: CommandError.self) { try await supervisor.run() }
        #expect(error?.description == "child cannot start: no such setting")
    }

    @Test("starts a program with no signal ignored or blocked, whatever this process ignores")
    func signals() async throws {
        let former = signal(SIGUSR1, SIG_IGN)
        defer { signal(SIGUSR1, former) }
        let log = folder.path("log")
        let child = try SupervisedProcess(
            .init(program: "/bin/grep", arguments: ["-E", "^Sig(Ign|Blk)", "/proc/self/status"], environment: [:], log: log))
        #expect(await child.exit() == 0)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        // 32 and 33 are the C library's own, which posix_spawn has ignored.
        let own: UInt64 = 0x1_8000_0000
        #expect(lines.count == 2 && lines.allSatisfy { (UInt64($0.suffix(16), radix: 16) ?? 1) & ~own == 0 }, "\(lines)")
    }
}
