import Access
import MessageBus
package import ServiceKit
import Settings
import Shares
import TimelineStore
import VigilSchema

/// `vigil-timeline`: stores all observations.
package enum TimelineService {
    static let rollups = Setting.optional(
        "rollups", .boolean,
        help: "Store minute, hour and day sums for fast pages and histograms. By default as before, for a new database yes.")
    static let retentionInterval = Setting(
        "retention-interval", .duration(in: .seconds(1)...(.seconds(30 * 86_400))), default: .seconds(3600),
        help: "How often the rules of `vigil timeline retention` are applied.")
    static let sealAfter = Setting.optional(
        "seal-after", .duration(in: .seconds(86_400)...(.seconds(36_525 * 86_400))),
        help: "Pack the numbers of days of UTC that have been over for so long (7d), to a twentieth of their size. By default none.")

    package static let command = ServiceCommand(
        name: "vigil-timeline", summary: "stores observations, each exactly once, in PostgreSQL or SQLite",
        details: """
            Subscribes to \(Topic.Filter.observations), vigil/v1/history/… and \(Topic.Filter.alertEvents). A \
            message is acknowledged only after its commit; one with a response topic gets a receipt. While the \
            database is away it accepts nothing more, and nothing is lost. Answers requests on \
            \(Topic.Filter.requests(to: "timeline")). With --shares several replicas divide the participants, \
            and replace each other after a failure.
            """,
        settings: CommonSettings.database + [rollups, retentionInterval, sealAfter] + AccessSettings.all
    ) { context in
        let shares = try context[ShareSettings.shares]
        let work = try TimelineWork(context)
        return shares == 1 ? try work.members() : try SharedTimeline(work).members(shares: shares)
    }
}
