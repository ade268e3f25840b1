import Foundation
import MessageBus
import Observability
import ServiceKit
import SuiteHarness
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import CSVImport

@Suite("when sources are asked, and who hears of it", .timeLimit(.minutes(4)))
struct PollTimetableTests {
    @Test("pauses grow with jitter up to an hour, and the wait that the server wants is kept")
    func pauses() throws {
        let text = "{sources: [{name: \"s\", every: \"5m\", folder: \"/tmp\"}]}"
        let source = try #require(try PolledSourceFile.read(text, path: "/tmp/sources.json5").first)
        var record = PollRecord(source, now: 0)
        var random = SystemRandomNumberGenerator()
        #expect(record.pause(source, now: 0, using: &random) == .seconds(300))
        var pauses: [Double] = []
        for _ in 0..<12 {
            record.fail("x", retryAfter: nil, at: 0)
            pauses.append(record.pause(source, now: 0, using: &random) / .seconds(1))
        }
        #expect(pauses[0] >= 15 && pauses[0] <= 30 && pauses[1] >= 30 && pauses[1] <= 60, "\(pauses)")
        #expect(pauses.allSatisfy { $0 <= 3600 } && pauses[11] >= 1800, "\(pauses)")
        record.fail("x", retryAfter: .seconds(7200), at: 1000)
        #expect(record.pause(source, now: 1000, using: &random) == .seconds(7200))
        #expect(record.isSilent(source, now: 901) && !record.isSilent(source, now: 899))
    }

    @Test("each silent source has an alarm of its own, which no other source ends, whoever's data it has")
    func watch() async throws {
        let rig = try await PollRig()
        func source(_ name: String) throws -> PolledSource {
            let text =
                "{sources: [{name: \"\(name)\", every: \"60s\", url: \"\(rig.standIn.base)/gone\", participant: \"anna\", silence: \"90s\"}]}"
            return try #require(try PolledSourceFile.read(text, path: rig.folder.path("sources.json5")).first)
        }
        let sources = [try source("clinic"), try source("watch")]
        let records = try await PollRecords(sources, rig.keeping, now: 0)
        let publisher = InMemoryPublisher()
        let log = Logger(service: "test", level: .error) { _ in }
        let watch = PollWatch(records: records, publisher: publisher, service: "vigil-import", log: log)
        var told: [String: Double] = [:]
        func said() -> [String] {
            publisher.messages.map { message in
                let text = String(decoding: message.payload, as: UTF8.self)
                let state = ["failing", "answering"].first { text.contains("\"\($0)\"") } ?? "?"
                return (["clinic", "watch"].first { text.contains("_module.vigil-import.\($0)\"") } ?? "?") + " " + state
            }
        }
        func fail(_ source: PolledSource, _ isFailing: Bool, at now: Double) async throws {
            var record = await records[source]
            if isFailing { record.fail("gone", retryAfter: nil, at: now) } else { record.succeed(at: now) }
            try await records.save(record)
            await watch.look(&told, now)
        }
        try await fail(sources[0], true, at: 100)
        try await fail(sources[1], true, at: 101)
        try await fail(sources[1], false, at: 102)
        #expect(said() == ["clinic failing", "watch failing", "watch answering"])
        await watch.look(&told, 699)
        await watch.look(&told, 700)
        try await fail(sources[0], false, at: 701)
        #expect(said().dropFirst(3) == ["clinic failing", "clinic answering"])
    }

    @Test("a round that is under way ends with the erasure of the participant")
    func erasureMeanwhile() async throws {
        let rig = try await PollRig()
        try rig.standIn.set(["fault:/table.csv": "hang", "times:/table.csv": "1"])
        let source = try rig.source("url: \"\(rig.standIn.base)/table.csv\", participant: \"anna\"")
        let records = try await PollRecords([source], rig.keeping, now: 0)
        let service = rig.service(records)
        let asked = try await withThrowingTaskGroup(of: PollRecord.self) { group in
            await records.begin(source)
            group.addTask {
                let record = try await service.ask(service.pull(source))
                await records.end(source, next: 0)
                return record
            }
            try await eventually(within: .seconds(10), "the request") { try rig.standIn.counts()["/table.csv"] == 1 }
            #expect(try await records.stop("anna") == 1)
            return try await group.next()
        }
        #expect(asked?.isStopped == true && asked?.stored == 0)
        #expect(try await rig.count() == 0)
    }

    @Test("a source whose participant was erased asks nobody until someone wishes it")
    func erasure() async throws {
        let rig = try await PollRig()
        let source = try rig.source("url: \"\(rig.standIn.base)/table.csv\", participant: \"anna\"")
        _ = try await rig.ask(source)
        let records = try await PollRecords([source], rig.keeping, now: 0)
        #expect(try await records.stop("ben") == 0)
        #expect(try await records.stop("anna") == 1)
        // An erasure goes on until nothing is found.
        #expect(try await records.stop("anna") == 0)
        let service = rig.service(records)
        #expect(try await service.ask(service.pull(source)).isStopped)
        #expect(try rig.standIn.counts()["/table.csv"] == 1)
        #expect(await !records.isDue(source, now: 4e9))
        #expect(await records.views.first?.state == "stopped")
        var late = await records[source]
        late.isStopped = false
        await #expect(throws: CancellationError.self) { try await records.save(late) }
        try await records.wish("s", now: 0)
        #expect(await records.isDue(source, now: 0))
        await #expect(throws: JobRefusal.self) { try await records.wish("t", now: 0) }
    }
}
