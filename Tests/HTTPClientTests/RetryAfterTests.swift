import Foundation
import HTTPClient
import Testing

@Suite("Retry-After and values within addresses")
struct RetryAfterTests {
    @Test(
        "a pause is seconds or a date, and never longer than is allowed",
        arguments: [
            ("120", 120.0), ("1.5", 1.5), ("-3", nil), ("soon", nil), ("nan", nil), ("99999999999", 86_400),
            ("Tue, 14 Nov 2023 22:13:30 GMT", 10), ("Tue, 14 Nov 2023 22:13:00 GMT", 0), (" 7 ", 7),
        ])
    func pause(_ text: String, _ seconds: Double?) {
        let wait = RetryAfter.pause(text, now: Date(timeIntervalSince1970: 1_700_000_000), longest: .seconds(86_400))
        #expect(wait.map { $0 / .seconds(1) } == seconds)
    }

    @Test("everything but unreserved characters is escaped")
    func escaping() {
        #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
        #expect(PercentEncoding.encode("a b&c=ü/\r\u{0}") == "a%20b%26c%3D%C3%BC%2F%0D%00")
    }
}
