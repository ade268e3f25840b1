import Foundation

/// How long the broker's certificate lasts, for `vigil check`.
enum CertificateTime {
    /// So many days before its end somebody must know.
    static let notice = 30

    /// Whether it lasts for a while, with the next step where it does not; nil without a certificate.
    static func finding(_ end: Int64?, at now: Date) -> CheckReport.Finding? {
        guard let end else { return nil }
        let date = Date(timeIntervalSince1970: Double(end))
        let day = date.formatted(.iso8601.year().month().day()), days = Int((date.timeIntervalSince(now) / 86_400).rounded(.down))
        let step = "ends on \(day), in \(days) days, and nobody connects then; deploy/init --rotate broker, and restart the broker"
        return CheckReport.Finding(
            what: "the broker's certificate", isWell: days >= notice, words: days >= notice ? "lasts until \(day)" : step)
    }
}
