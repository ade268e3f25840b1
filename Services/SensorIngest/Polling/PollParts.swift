import HTTPClient
import ServiceKit
import VigilSchema

/// The pollers of a running service.
struct PollParts {
    /// To stand before the pipeline in the group.
    let members: [ServiceGroup.Member]

    init(_ context: ServiceContext, _ statuses: DeviceStatusBoard, _ settings: [PollSettings] = [.eHealth, .vehicle]) async throws {
        let client = HTTPClient()
        let queue = PollQueue(publisher: context.publisher, metrics: context.metrics, log: context.logger)
        var members = [ServiceGroup.Member("polled", queue)]
        for settings in settings {
            let status = PollStatus(settings.name, context.metrics, context.logger)
            context.exchange.add(
                Parameter(
                    name: "\(settings.name)-status", kind: .text, description: "How the \(settings.name) server does.",
                    read: { .text(status.text) }))
            let source = try await settings.source(context.exchange, context.configuration)
            members.append(
                ServiceGroup.Member(
                    "poll-\(settings.name)",
                    Poller(source: source, client: client, queue: queue, status: status, statuses: statuses, now: { .now })))
        }
        self.members = members
    }
}
