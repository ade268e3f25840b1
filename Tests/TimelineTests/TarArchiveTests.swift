import Foundation
import TestSupport
import Testing
import Timeline

@Suite("Tar archives")
struct TarArchiveTests {
    @Test("are unpacked by tar, name by name and byte by byte")
    func unpacked() async throws {
        let folder = try TemporaryFolder("vigil-tar")
        let contents = ["anna-heart-rate.png": 0, "anna-steps.png": 1, "anna-ecg.png": 512, "anna-mood.png": 70_000].mapValues { count in
            [UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        }
        let members = contents.sorted { $0.key < $1.key }.flatMap { TarArchive.member($0.key, $0.value, time: 1_700_000_000) }
        try Data(members + TarArchive.end).write(to: URL(filePath: folder.path("plots.tar")))
        _ = try await ChildProcess.run("/bin/tar", ["-xf", folder.path("plots.tar"), "-C", folder.url.path], in: folder)
        for (name, content) in contents { #expect(try [UInt8](Data(contentsOf: URL(filePath: folder.path(name)))) == content, "\(name)") }
    }
}
