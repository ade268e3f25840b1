import Foundation
import Settings
import Testing

@testable import VigilCLI

@Suite("What vigil check says of the broker's certificate")
struct CertificateTimeTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func words(days: Double) throws -> String {
        try CertificateTime.words(Int64(now.timeIntervalSince1970 + days * 86_400), at: now)
    }

    @Test("until when it lasts, where that is for a month and more; nothing without TLS")
    func lasting() throws {
        #expect(try CertificateTime.words(nil, at: now).isEmpty)
        #expect(try words(days: 30.1) == "; its certificate lasts until 2023-12-15")
    }

    @Test("the next step where it ends within a month")
    func ending() {
        let error = #expect(throws: CommandError.self) { try words(days: 29.9) }
        #expect(
            error?.description.contains("ends on 2023-12-14, in 29 days") == true
                && error?.description.contains("deploy/init --rotate broker") == true)
    }
}
