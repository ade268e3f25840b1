import Foundation
import Observability
import Plotting
import VigilSchema

/// The report of a person for a visit.
enum ReportOperations {
    /// The longest time that a report covers: courses of more are for the pages.
    private static let longest = 5 * 366.0 * 86_400
    private static let usual = 30 * 86_400.0

    static let all = [report]

    private static let report = APIOperation(
        "GET", "/participants/{participant}/report",
        "A PDF for a visit: identity, what stands, figures and courses of a time, what the modules say, alarms.",
        for: .permitted(.seeIdentity),
        query: [
            .init("from", .number, "Unix seconds; thirty days before `to` where it is missing."),
            .init("to", .number, "Unix seconds; now where it is missing."), .init("language", "en, de or ru."),
        ]
    ) { call in
        let to = try call.number("to") ?? call.dashboard.now()
        let from = try call.number("from") ?? to - usual
        guard from < to, to - from <= longest else { throw APIError.malformed("a report covers a time of up to five years") }
        try await call.audit("see-report")
        let range = TimelineQuery.Range(from: Timestamp(seconds: from), to: Timestamp(seconds: to))
        let sources = ReportSources(bus: call.bus, participant: call.participant, range: range)
        let profile = try await sources.profile(at: Timestamp(seconds: call.dashboard.now()))
        let numbers = ReportNumbers(
            words: call.dashboard.words.language(call.request.query["language"] ?? "en"),
            units: ReportNumbers.units(of: Preference.read(call.account.preferences)),
            zone: profile.timeZone.flatMap(TimeZone.init(identifier:)) ?? .gmt)
        let report = VisitReport(
            sources: sources, numbers: numbers, profile: profile, period: from...to, author: call.account.name, now: call.dashboard.now())
        let name = "\(call.participant)-\(numbers.fileDate(to)).pdf"
        return HTTPResponse(
            headers: [
                "Content-Type": "application/pdf", "Content-Disposition": "attachment; filename=\"\(name)\"", "Cache-Control": "no-store",
            ], body: .bytes(try await report.pdf()))
    }
}
