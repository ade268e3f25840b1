import Foundation
import TestSupport
import Testing
import TimelineStore
import VigilSchema

/// What commands write where their output goes into a file, a pipe, or onto a full disk.
@Suite("Output", .timeLimit(.minutes(2)))
struct OutputTests {
    private static let start = Timestamp(seconds: 1_484_840_182)

    private let folder: TemporaryFolder
    private let store: [String]

    init() async throws {
        folder = try TemporaryFolder("vigil-output")
        let path = folder.path("timeline.sqlite"), store = SQLiteStore(path: path)
        let observations = (0..<6000).map {
            Observation(metric: "heart-rate", time: Self.start.advanced(bySeconds: Double($0)), content: .value(60), unit: "/min")
        }
        let group = ObservationGroup(participant: "anna", source: "watch", received: Self.start, observations: observations)
        _ = try await store.append([ObservationBatch(id: "a", groups: [group])])
        await store.close()
        self.store = ["--store", "sqlite:\(path)"]
    }

    /// Runs `vigil` in a shell, which sends its output where `end` says.
    private func shell(_ words: [String], _ end: String) async throws -> (code: Int32, output: String) {
        let line = ([BuiltProgram.path("vigil")] + words + store).map { "'\($0)'" }.joined(separator: " ")
        let child = try ChildProcess(
            "/bin/bash", ["-c", "\(line) \(end)"], output: folder.path(UUID().uuidString), environment: ["PATH": "/usr/bin:/bin"])
        return (try await child.waitForExit(), child.output)
    }

    private static let readings = ["timeline", "readings", "anna", "--from", "2017-01-01T00:00:00Z", "--output"]

    @Test("readings as JSON are one array, also in a file")
    func array() async throws {
        let written = try await shell(Self.readings + ["json"], ">'\(folder.path("readings.json"))'")
        #expect(written.code == 0 && written.output.isEmpty, "\(written.output)")
        let list = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: folder.path("readings.json")))) as? [Any]
        #expect(list?.count == 6000)
    }

    @Test(
        "what finds no room on the disk is told, and no success",
        arguments: [
            readings + ["csv"], readings + ["json"], ["timeline", "latest", "anna"], ["timeline", "metrics", "anna", "--output", "csv"],
            ["audit", "list"], ["timeline", "export", "anna", "--all", "--format", "csv"],
        ])
    func full(_ words: [String]) async throws {
        let written = try await shell(words, ">/dev/full")
        #expect(written.code == 1 && written.output.contains("No space left on device"), "\(written.code): \(written.output)")
        #expect(!written.output.contains("Error Domain"), "\(written.output)")
    }

    @Test("a reader that has seen enough is no failure", arguments: [readings + ["csv"], readings + ["json"]])
    func head(_ words: [String]) async throws {
        let written = try await shell(words, "| head -n 2 >/dev/null; exit ${PIPESTATUS[0]}")
        #expect(written.code == 0 && written.output.isEmpty, "\(written.code): \(written.output)")
    }

    @Test("an export goes into a pipe or device that it is named, and takes the place of none")
    func pipe() async throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let read = try await shell(
            ["timeline", "export", "anna", "--all", "--format", "csv", "--file", pipe],
            "2>/dev/null & timeout 30 cat '\(pipe)'; wait $!")
        #expect(read.code == 0 && read.output.split(whereSeparator: \.isNewline).count == 6001, "\(read.code)")
        #expect(try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType != .typeRegular)
    }
}
