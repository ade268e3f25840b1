import Foundation
import ServiceKit
import Synchronization
import TestSupport
import Testing

@testable import CSVImport

@Suite("Files that wait to be imported, while clocks are wrong")
struct JobStoreTests {
    private static let (start, year): (Double, Double) = (1_700_000_000, 365 * 86_400)

    /// A store, and the time since it was opened.
    private struct Fixture {
        let folder: TemporaryFolder
        let store: JobStore
        let ran = Shared()

        final class Shared: Sendable {
            private let seconds = Mutex(0.0)
            func set(_ value: Double) { seconds.withLock { $0 = value } }
            var value: Double { seconds.withLock { $0 } }
        }

        init(in folder: TemporaryFolder? = nil) async throws {
            self.folder = try folder ?? TemporaryFolder("jobs")
            let opened = ContinuousClock.now
            store = try await JobStore(
                LocalJobs(path: self.folder.path("jobs.sqlite"), folder: UploadFolder(path: self.folder.path("uploads"))),
                now: { [ran] in opened + .seconds(ran.value) })
        }

        func begin(at now: Double) async throws -> String {
            let job = try await store.begin(name: "a.csv", size: 3, account: "nora", actor: "nora", now: now)
            _ = try await store.append(Data("a,b".utf8), at: 0, to: job.id, account: "nora", now: now)
            return job.id
        }

        func bytes(of id: String) -> Int { store.folder.size(.data, of: id) }
    }

    @Test("go a day after they were touched, and by a clock that is decades ahead not for an hour after a start")
    func expiry() async throws {
        let first = try await Fixture()
        let job = try await first.begin(at: Self.start)
        let again = try await Fixture(in: first.folder)
        try await again.store.expire(now: Self.start + 30 * Self.year)
        again.ran.set(3599)
        try await again.store.expire(now: Self.start + 30 * Self.year)
        #expect(again.bytes(of: job) == 3)
        again.ran.set(3600)
        try await again.store.expire(now: Self.start + 86_400)
        #expect(again.bytes(of: job) == 3)
        try await again.store.expire(now: Self.start + 86_401)
        #expect(again.bytes(of: job) == 0)
        #expect(await again.store.everything.isEmpty)
    }

    @Test("go a day after the clock was set back, where they were touched ahead of it")
    func ahead() async throws {
        let fixture = try await Fixture()
        let job = try await fixture.begin(at: Self.start + 30 * Self.year)
        fixture.ran.set(4000)
        try await fixture.store.expire(now: Self.start)
        #expect(fixture.bytes(of: job) == 3)
        try await fixture.store.expire(now: Self.start + 86_401)
        #expect(fixture.bytes(of: job) == 0)
    }
}
