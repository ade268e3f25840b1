import Foundation
import Settings

/// How long the broker's certificate lasts, in the words of `vigil check`.
enum CertificateTime {
    /// So many days before its end somebody must know.
    static let notice = 30

    /// The words behind others; none without a certificate.
    /// - Throws: `CommandError` where it ends soon, with the next step.
    static func words(_ end: Int64?, at now: Date) throws(CommandError) -> String {
        guard let end else { return "" }
        let date = Date(timeIntervalSince1970: Double(end))
        let day = date.formatted(.iso8601.year().month().day()), days = Int(date.timeIntervalSince(now) / 86_400)
        guard days < notice else { return "; its certificate lasts until \(day)" }
        throw CommandError(
            .failure,
            "its certificate ends on \(day), in \(days) days, and nobody connects then; deploy/init --rotate broker, and restart the broker"
        )
    }
}
