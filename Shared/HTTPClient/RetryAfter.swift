package import Foundation

/// The header `Retry-After`: seconds, or a date. Source: RFC 9110, section 10.2.3.
package enum RetryAfter {
    /// The pause that a server asks for, at most `longest`; nil where the text is neither.
    package static func pause(_ text: String, now: Date, longest: Duration) -> Duration? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let seconds = Double(text) {
            return seconds.isFinite && seconds >= 0 ? .seconds(min(seconds, longest / .seconds(1))) : nil
        }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text).map { .seconds(min(max(0, $0.timeIntervalSince(now)), longest / .seconds(1))) }
    }
}

/// Values within addresses and forms.
package enum PercentEncoding {
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// Everything but unreserved characters escaped. Source: RFC 3986, section 2.3.
    package static func encode(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "" }
}
