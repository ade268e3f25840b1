import Foundation
import TestSupport
import Testing

/// What ends the programs that a killed test leaves behind must end nobody else: process numbers come again.
@Suite("The guard of orphans")
struct OrphanGuardTests {
    @Test("ends the program that it was told of, and spares another that has its number since")
    func numberAgain() async throws {
        let folder = try TemporaryFolder()
        let orphan = try await orphan(folder)
        defer { kill(orphan, SIGKILL) }
        let began = try #require(OrphanGuard.began(orphan).flatMap { Int($0) })

        try await runScript(told: "\(orphan):\(began - 1)", folder)
        #expect(kill(orphan, 0) == 0, "the other one lives")
        try await runScript(told: "\(orphan):\(began)", folder)
        try await eventually("its own one has ended") { kill(orphan, 0) != 0 }
    }

    /// A program whose parent has ended.
    private func orphan(_ folder: TemporaryFolder) async throws -> Int32 {
        let printed = try await ChildProcess.run("/bin/sh", ["-c", "sleep 300 >/dev/null 2>&1 & echo $!"], in: folder)
        let number = try #require(Int32(printed.trimmingCharacters(in: .whitespacesAndNewlines)))
        try await eventually("init is its parent") { parent(of: number) == 1 }
        return number
    }

    private func parent(of number: Int32) -> Int32? {
        let status = (try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line.flatMap { Int32($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) }
    }

    private func runScript(told line: String, _ folder: TemporaryFolder) async throws {
        let input = try folder.write(line + "\n", to: "told")
        let shell = try ChildProcess("/bin/sh", ["-c", OrphanGuard.script], input: input, output: folder.path("said"))
        #expect(try await shell.waitForExit() == 0)
    }
}
