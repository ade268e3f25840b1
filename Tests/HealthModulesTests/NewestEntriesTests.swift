import Foundation
import ServiceKit
import Testing
import VigilSchema

@testable import HealthModules

@Suite("Entries that modules look at")
struct NewestEntriesTests {
    private static func entries(_ numbers: Range<Int>, length: Int = 1, kind: TimelineEntry.Kind = .medication) -> [TimelineEntry] {
        numbers.map {
            TimelineEntry(
                id: "e\($0)", kind: kind, time: Timestamp(seconds: Double($0)), description: String(repeating: "d", count: length))
        }
    }

    @Test("are the newest five thousand, and of long ones those for which there is room")
    func room() {
        var newest = NewestEntries()
        for part in 0..<7 { newest.add(Self.entries(part * 1000..<(part + 1) * 1000)) }
        #expect(newest.entries.map(\.id) == (2000..<7000).map { "e\($0)" })
        newest.add(Self.entries(7000..<8000, length: 10_000))
        #expect((400..<450).contains(newest.entries.count) && newest.entries.last?.id == "e7999")
        newest.add(Self.entries(8000..<8001, length: 10 << 20))
        #expect(newest.entries.map(\.id) == ["e8000"])
    }

    @Test("are read answer by answer, of the kinds that modules know alone")
    func reading() async throws {
        let client = TimelineClient { request, _ in
            let part = Int(request.after ?? "0") ?? 0
            let entries = Self.entries(part..<part + 2) + Self.entries(part + 100..<part + 101, kind: .note)
            let next = part < 4 ? String(part + 2) : nil
            return Array(try JSONEncoder().encode(TimelineResponse(result: entries, next: next)))
        }
        let entries = try await TimelineReader(client).entries(
            of: "anna", [.medication], from: Timestamp(seconds: 0), to: Timestamp(seconds: 9))
        #expect(entries.map(\.id) == ["e0", "e1", "e2", "e3", "e4", "e5"])
    }
}
