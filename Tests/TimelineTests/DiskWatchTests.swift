import MessageBus
import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import VigilSchema

@Suite("The room on the disk", .timeLimit(.minutes(2)))
struct DiskWatchTests {
    @Test(
        "is short below a tenth, and almost none below a gigabyte or a twentieth, whichever is less",
        arguments: [
            (50e9, 100e9, "ample"), (9.9e9, 100e9, "short"), (0.9e9, 100e9, "almost-full"), (0.97e9, 1e9, "ample"), (0.09e9, 1e9, "short"),
            (0.04e9, 1e9, "almost-full"),
        ])
    func levels(free: Double, size: Double, level: String) {
        let space = DiskSpace(free: free, size: size)
        #expect(space.level.rawValue == level)
        #expect(space.remark.isEmpty == (level == "ample"))
    }

    @Test("is said to be more only once a tenth more is free than the limit")
    func margin() {
        func level(_ free: Double, after former: DiskSpace.Level) -> DiskSpace.Level {
            DiskSpace(free: free, size: 100e9).level(after: former)
        }
        #expect(level(10.5e9, after: .short) == .short && level(11.1e9, after: .short) == .ample)
        #expect(level(1.05e9, after: .almostFull) == .almostFull && level(1.2e9, after: .almostFull) == .short)
        #expect(level(9.9e9, after: .ample) == .short && level(10.5e9, after: .ample) == .ample)
    }

    @Test("of a folder is told by the system, and of none not")
    func folder() throws {
        let space = try #require(DiskSpace(folder: "/"))
        #expect(space.free > 0 && space.size >= space.free)
        #expect(DiskSpace(folder: "/no/such/folder") == nil)
    }

    @Test("is told at first and as it changes, and again while it is short")
    func told() async throws {
        let publisher = InMemoryPublisher()
        let free = Mutex(50e9)
        let seconds = Mutex(1_700_000_000.0)
        let watch = DiskWatch(
            publisher: publisher, service: "vigil-timeline", instance: "main", log: Logger(service: "test", level: .error, sink: { _ in }),
            clock: QuickClock(),
            now: { Timestamp(seconds: seconds.withLock { $0 }) }, look: { DiskSpace(free: free.withLock { $0 }, size: 100e9) })
        let running = Task { try await watch.run() }
        defer { running.cancel() }
        try await eventually("ample") { try Self.texts(publisher) == ["ample"] }
        free.withLock { $0 = 5e9 }
        try await eventually("short") { try Self.texts(publisher) == ["ample", "short"] }
        seconds.withLock { $0 += 700 }
        try await eventually("short again") { try Self.texts(publisher) == ["ample", "short", "short"] }
        free.withLock { $0 = 0.1e9 }
        try await eventually("almost none") { try Self.texts(publisher).last == "almost-full" }
        free.withLock { $0 = 60e9 }
        try await eventually("ample again") { try Self.texts(publisher) == ["ample", "short", "short", "almost-full", "ample"] }
        running.cancel()
        try await running.value
        let first = try #require(publisher.messages.first)
        let group = try BatchDecoder().decode(first.payload.span).groups[0]
        #expect(group.participant == "_module.vigil-timeline.main")
    }

    private static func texts(_ publisher: InMemoryPublisher) throws -> [String] {
        try publisher.messages.flatMap { message in
            try BatchDecoder().decode(message.payload.span).groups.flatMap(\.observations).compactMap { observation in
                guard observation.metric == "disk-status", case .text(let text) = observation.content else { return nil }
                return text
            }
        }
    }
}
