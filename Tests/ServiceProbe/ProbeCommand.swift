import Observability
import ServiceKit
import Settings

enum ProbeCommand {
    /// The behaviour of the probe's second service.
    enum Behaviour: String, CaseIterable { case obeys, fails, ignores }

    static let behaviour = Setting("behaviour", ValueFormat<Behaviour>.choice, default: .obeys, help: "What the service does.")
    static let deadline = Setting("deadline", .duration(), default: .seconds(10), help: "The group's deadline.")

    static let command = Command(
        name: "service-probe", summary: "runs two services for tests", settings: [behaviour, deadline]
    ) { invocation in
        let stop = Latch()
        let behaviour = try invocation[behaviour]
        let first = ServiceGroup.Member("first", started: { say("first started") }) {
            try await ContinuousClock().sleep(for: .seconds(60))
        }
        let second = ServiceGroup.Member("second", draining: .request { if behaviour != .ignores { stop.open() } }) {
            if behaviour == .fails { throw CommandError(.unavailable, "the database does not answer") }
            await stop.wait()
        }
        try await ServiceGroup([first, second], deadline: try invocation[deadline], onProgress: { say("\($0)") }).run()
        say("clean end")
    }

    @Sendable private static func say(_ text: String) { StandardOutput.line(text) }
}
