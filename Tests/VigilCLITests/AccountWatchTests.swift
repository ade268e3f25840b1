import Foundation
import Synchronization
import TestSupport
import Testing

@testable import VigilCLI

@Suite("Watching the files of accounts", .timeLimit(.minutes(1)))
struct AccountWatchTests {
    @Test(
        "has the broker read them at once when one has changed, and twice more in case it was reading them just then",
        arguments: ["passwords", "services", "acl"])
    func signals(file: String) async throws {
        let folder = try TemporaryFolder(), clock = SteppingClock(0), count = Mutex(0)
        for name in ["passwords", "services"] { try folder.write("", to: name) }
        let watch = AccountsWatch(folder: folder.url.path, signal: { count.withLock { $0 += 1 } }, clock: clock)
        /// The signals so far, after each of some more looks.
        @Sendable func looks(_ more: Int) async throws -> [Int] {
            var found: [Int] = []
            for _ in 0..<more {
                let before = clock.steps.count
                clock.allow(1)
                try await eventually("a look") { clock.steps.count == before + 1 }
                found.append(count.withLock { $0 })
            }
            return found
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await watch.run() }
            try await eventually("the first look") { clock.steps.count == 1 }
            let unchanged = try await looks(3)
            #expect(unchanged == [0, 0, 0])
            try folder.write("changed", to: file)
            let changed = try await looks(16)
            #expect(changed == [1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3])
            try folder.write("changed again", to: file)
            let again = try await looks(2)
            #expect(again == [4, 4])
            try folder.write("and once more", to: file)
            let anew = try await looks(5)
            #expect(anew == [5, 5, 5, 6, 6], "counted from the last change")
            tasks.cancelAll()
            while (await tasks.nextResult()) != nil {}
        }
        #expect(Set(clock.steps) == [.seconds(1)])
    }
}
