import Testing

@testable import VigilCLI

@Suite("The check of the room on disk")
struct DiskCheckTests {
    @Test("is well where every service has enough")
    func ample() {
        let finding = DiskCheck.finding([("vigil-ingest", "ample: 50.0 of 100.0 GB are free")])
        #expect(finding.isWell && !finding.isWarning)
    }

    @Test("warns of a disk that is short, and fails where it is almost full")
    func short() {
        let short = DiskCheck.finding([
            ("vigil-ingest", "ample: 50.0 of 100.0 GB are free"), ("vigil-alert", "short: 8.0 of 100.0 GB are free"),
        ])
        #expect(short.isWell && short.isWarning && short.words.hasPrefix("vigil-alert short: 8.0 of 100.0 GB are free; free space"))
        #expect(!DiskCheck.finding([("vigil-timeline", "almost-full: 0.5 of 100.0 GB are free")]).isWell)
    }

    @Test("warns of a service that does not say")
    func unknown() {
        let finding = DiskCheck.finding([("vigil-alert", "unknown: no answer")])
        #expect(finding.isWell && finding.isWarning && finding.words.contains("no answer"))
    }
}
