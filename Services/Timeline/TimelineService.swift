import Access
import MessageBus
package import ServiceKit
import Settings
import Shares
import TimelineStore
import VigilSchema

/// `vigil-timeline`: remembers everything that the sensors said.
package enum TimelineService {
    static let rollups = Setting.optional(
        "rollups", .boolean,
        help: "Whether minute, hour and day sums are kept for fast pages and histograms; as before by default, at first yes.")
    static let retentionInterval = Setting(
        "retention-interval", .duration(in: .seconds(1)...(.seconds(30 * 86_400))), default: .seconds(3600),
        help: "How often the rules of `vigil timeline retention` are applied.")

    package static let command = ServiceCommand(
        name: "vigil-timeline", summary: "Stores observations, each exactly once, in PostgreSQL or SQLite.",
        details: """
            Subscribes to \(Topic.Filter.observations), vigil/v1/history/… and \(Topic.Filter.alertEvents). A message is acknowledged only after its commit; \
            one that carries a response topic is answered with a receipt. While the database is away nothing more is taken, and \
            nothing is lost. Answers the questions that come on \(Topic.Filter.requests(to: "timeline")). With --shares several replicas divide the \
            participants among them, and take over from one that is gone.
            """,
        settings: CommonSettings.database + [rollups, retentionInterval] + AccessSettings.all
    ) { context in
        let shares = try context[ShareSettings.shares]
        let work = try TimelineWork(context)
        return shares == 1 ? try work.members() : try SharedTimeline(work).members(shares: shares)
    }
}
