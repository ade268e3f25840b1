import TestSupport
import Testing

@testable import CSVImport

@Suite("rejects")
struct RejectFileTests {
    @Test("are written with their places, and once corrected give the readings that were missing, under their identities")
    func corrected() async throws {
        let text = #"""
            source,participant-id,timestamp,spo2,heart-rate
            "ox, ""1""",3,100,96,69
            "ox, ""1""",3,100,400,70
            "ox, ""1""",3,never,98,71

            """#
        let folder = try TemporaryFolder("vigil-import")
        let decoded = try Decoded(text)
        let path = folder.path("rejects.csv")
        let bytes = Array(text.utf8)
        try await RejectFile(path: path).add(
            decoded.rejects, of: ImportFile(name: "test.csv") { () throws(ImportError) in MemorySource(bytes) }, survey: decoded.survey)
        var source = try FileSource(path: path)
        let written = String(decoding: try source.readStart(10_000), as: UTF8.self)
        #expect(written.contains("test.csv,3,19,") && written.contains("test.csv,4,15,"))
        let again = try Decoded(written.replacing("400", with: "97").replacing("never", with: "101"), name: "rejects.csv")
        #expect(again.survey.profile.name == "vigil-rejects" && again.rejects.isEmpty)
        let all = try Decoded(text.replacing("400", with: "97").replacing("never", with: "101"))
        #expect(Set(decoded.rows).union(again.rows) == Set(all.rows))
        #expect(Set(decoded.rows).isDisjoint(with: again.rows))
    }

    @Test("stop a file at a number or a share")
    func limits() {
        var account = Account()
        account.accepted = 99
        account.rejected = 1
        #expect(RejectLimit("0")?.isExceeded(by: account, isAtEnd: false) == true)
        #expect(RejectLimit("1")?.isExceeded(by: account, isAtEnd: true) == false)
        #expect(RejectLimit("0.5%")?.isExceeded(by: account, isAtEnd: false) == false, "too few cells to tell a share")
        #expect(RejectLimit("0.5%")?.isExceeded(by: account, isAtEnd: true) == true)
        #expect(RejectLimit("1%")?.isExceeded(by: account, isAtEnd: true) == false)
        for text in ["-1", "101%", "x", ""] { #expect(RejectLimit(text) == nil, "\(text)") }
    }
}
