import TestSupport
import Testing

@testable import VigilCLI

@Suite("A device's spool")
struct SpoolTests {
    @Test("keeps what was not confirmed over a restart, in order")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("spool.sqlite")
        let spool = try Spool(path: path)
        let entries = try await spool.add(topic: "t", payloads: (0..<5).map { [$0] })
        try await spool.remove(entries[2])
        let again = try Spool(path: path)
        let first = try await again.waiting(limit: 3)
        #expect(first.map(\.payload) == [[0], [1], [3]])
        #expect(try await again.waiting(after: first.last?.id ?? 0).map(\.payload) == [[4]])
    }
}
