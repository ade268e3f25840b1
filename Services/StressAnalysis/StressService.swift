import Access
import MessageBus
package import ServiceKit
package import Settings
package import Signals
import VigilSchema

/// `vigil-stress`: derives heart rate, breathing, skin conductance and stress from raw signals.
package enum StressService {
    package static let mode = Setting(
        "stress-mode", .choice, default: StressMode.enhanced,
        help: "How stress is computed for participants that have no mode of their own.")
    package static let calibration = Setting(
        "calibration-seconds", .integer(in: 60...1800), default: 360, help: "The length of a guided calibration, in seconds.")

    /// The service.
    package static let service = ServiceCommand(
        name: "vigil-stress", summary: "Derives vital signs and stress from raw signals.",
        details: """
            Subscribes to vigil/v1/observations/…/readings and …/waveforms, and publishes, every five seconds a participant, \
            derived observations on vigil/v1/observations/<partition>/derived with the source \(StressEngine.source). Commands for one \
            participant (calibrate, cancel, forget, mode, bounds, export, erase) come on \(Topic.Filter.requests(to: "stress")). Baselines are kept in the state folder. \
            vigil-stress evaluate FOLDER measures the detectors on annotated recordings.
            """,
        settings: [mode, calibration] + AccessSettings.all
    ) { context in
        let profiles = ProfileStore(try context.state(ProfileStore.migrations))
        let observations = try context.consumer(
            "observations",
            (Topic.Filter.readings + Topic.Filter.waveforms + [Topic.Filter.stressCommands, Topic.Filter.requests(to: "stress")]).map {
                // Retained readings are old ones, and so are retained commands.
                Subscription($0, retainHandling: .never)
            }
        ) {
            // The former version's, with which the service heard all that it derived.
            $0.formerFilters = [Topic.Filter.observations]
        }
        let requests = RequestGuard(service: "stress", control: try AccessControl(context.configuration) ?? .open, log: context.logger)
        let pipeline = StressPipeline(
            batches: GuardedRequests(observations.batches, requests, replies: context.replies, trail: try context.auditTrail),
            publisher: context.publisher, replies: context.replies, instance: context.instance, profiles: profiles,
            mode: try await context.exchange.live(mode, context.configuration),
            calibration: try await context.exchange.live(calibration, context.configuration),
            metrics: StressMetrics(context.metrics), log: context.logger, now: { .now })
        return [ServiceGroup.Member("pipeline", pipeline, draining: .endsByItself), observations.member]
    }
}
