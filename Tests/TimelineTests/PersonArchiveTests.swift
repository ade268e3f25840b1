import Foundation
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Timeline

@Suite("Everything of a person")
struct PersonArchiveTests {
    private static let time = Timestamp(seconds: 1_700_000_000)

    @Test("gives every table that an erasure empties")
    func tables() { #expect(Set(PersonArchive.files.keys) == Set(personalTables)) }

    @Test("has a file with content for each of them, for a person of whom there is something in each")
    func files() async throws {
        let folder = try TemporaryFolder("person-archive")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        try await fill(store)
        var archive = PersonArchive(store: store, participant: "anna")
        try await ExportSink.writing(path: folder.path("anna.tar"), passphrase: nil) { sink in
            try await archive.write([(name: "vigil-alert.json", content: Array("{}".utf8))], to: &sink)
        }
        await store.close()
        _ = try await ChildProcess.run("/bin/tar", ["-xf", folder.path("anna.tar"), "-C", folder.url.path], in: folder)
        for name in Set(PersonArchive.files.values) {
            let ending = ["entries", "profile", "sessions", "clock"].contains(name) ? ".json" : "-1.json"
            let text = try String(contentsOfFile: folder.path("anna/\(name)\(ending)"), encoding: .utf8)
            #expect(text.contains("\""), "\(name) is empty: \(text)")
        }
        #expect(try String(contentsOfFile: folder.path("anna/vigil-alert.json"), encoding: .utf8) == "{}")
    }

    @Test("keeps within the folder that it is unpacked in, whatever the participant is called", arguments: [".", ".."])
    func contained(_ participant: String) async throws {
        let folder = try TemporaryFolder("person-archive")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        var archive = PersonArchive(store: store, participant: participant)
        try await ExportSink.writing(path: folder.path("it.tar"), passphrase: nil) { try await archive.write(to: &$0) }
        await store.close()
        _ = try await ChildProcess.run("/bin/tar", ["-Pxf", folder.path("it.tar"), "-C", folder.url.path], in: folder)
        #expect(FileManager.default.fileExists(atPath: folder.path("participant/profile.json")))
    }

    private func fill(_ store: SQLiteStore) async throws {
        // The second corrects the first.
        let contents: [(String, Observation.Content, String)] = [
            ("heart-rate", .value(60), "/min"), ("heart-rate", .value(61), "/min"), ("ecg", .samples([0.1, 0.2], period: 0.004), "mV"),
        ]
        for (number, (metric, content, unit)) in contents.enumerated() {
            let reading = Observation(metric: metric, time: Self.time, content: content, unit: unit)
            let group = ObservationGroup(
                participant: "anna", source: "watch", session: "1", received: Self.time.advanced(bySeconds: Double(number)),
                observations: [reading])
            _ = try await store.append([ObservationBatch(id: "\(number)", groups: [group])])
        }
        try await store.setProfile(ParticipantProfile(first: "Anna", timeZone: "Europe/Berlin"), participant: "anna")
        let entry = TimelineEntry(id: "e", kind: .note, time: Self.time, description: "slept badly")
        try await store.post(entry, participant: "anna", received: Self.time)
        let alert = AlertMessage(
            participant: "anna", rule: "r", sequence: 1, transition: "raised", cause: "value", time: Self.time.seconds,
            decided: Self.time.seconds, state: "active", severity: "warning", priority: "high", kind: "medical", group: "g",
            since: Self.time.seconds)
        _ = try await store.append(alerts: [alert])
    }
}
