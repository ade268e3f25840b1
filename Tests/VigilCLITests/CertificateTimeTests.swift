import Foundation
import Testing

@testable import VigilCLI

@Suite("What vigil check says of the broker's certificate")
struct CertificateTimeTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func finding(days: Double) -> CheckReport.Finding? {
        CertificateTime.finding(Int64(now.timeIntervalSince1970 + days * 86_400), at: now)
    }

    @Test("until when it lasts, where that is for a month and more; nothing without TLS")
    func lasting() {
        #expect(CertificateTime.finding(nil, at: now) == nil)
        let finding = finding(days: 30.1)
        #expect(finding?.isWell == true && finding?.words == "lasts until 2023-12-15")
    }

    @Test("the next step where it ends within a month", arguments: [(29.9, "2023-12-14, in 29 days"), (-0.5, "2023-11-14, in -1 days")])
    func ending(days: Double, words: String) {
        let finding = finding(days: days)
        #expect(finding?.isWell == false && finding?.words.contains("ends on \(words)") == true)
        #expect(finding?.words.contains("deploy/init --rotate broker") == true)
    }
}
