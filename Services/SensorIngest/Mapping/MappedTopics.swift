import Foundation
import MessageBus
import Observability
import ServiceKit
import Synchronization

/// Keeps a running consumer to the topics of the mappings in force: what is new is subscribed to at once, what is gone given up.
///
/// A persistent session outlives the process, so the filters are kept in a file: those that are gone at the next start are given up there.
/// Threading: from anywhere.
final class MappedTopics: Sendable {
    private let rules: MappingRules
    private let path: String
    private let log: Logger
    private let consumer = Mutex<Consumer?>(nil)
    /// The refusals that were told already.
    private let told = Mutex<Set<DiscoveredSensors.Remark>>([])

    init(rules: MappingRules, path: String, log: Logger) {
        self.rules = rules
        self.path = path
        self.log = log
    }

    /// Filters that an earlier process has subscribed to and that are none of the mappings' now.
    var former: [String] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        let wanted = Set(subscriptions.map(\.filter))
        return text.split(separator: "\n").map(String.init).filter { !wanted.contains($0) }
    }

    /// From now on the consumer follows the mappings.
    func follow(_ consumer: Consumer) {
        self.consumer.withLock { $0 = consumer }
        // Holds on to it: nobody else does, and both live as long as the service.
        rules.onChange { self.update() }
        update()
    }

    /// A message that the broker has kept from before is no new measurement; a kept announcement is what there is.
    private var subscriptions: [Subscription] {
        rules.current.filters.map { Subscription($0, retainHandling: .never) } + rules.announcements.map { Subscription($0) }
    }

    private func update() {
        let wanted = subscriptions
        consumer.withLock { $0?.subscribe(alsoTo: wanted) }
        do {
            try wanted.map { $0.filter + "\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        } catch {
            log.warning(
                "the topics that are listened to cannot be kept; after a restart some may be listened to in vain", ["error": "\(error)"])
        }
        tell()
    }

    /// Tells what became of announced sensors, where that has changed: their number, and each of them for whoever looks closer.
    private func tell() {
        let remarks = Set(rules.remarks)
        let fresh = told.withLock { told in
            defer { told = remarks }
            return remarks.subtracting(told)
        }
        guard !fresh.isEmpty else { return }
        let understood = remarks.count(where: \.isUnderstood)
        log.info("sensors are announced", ["understood": "\(understood)", "others": "\(remarks.count - understood)"])
        for remark in fresh { log.debug("an announced sensor", ["topic": remark.topic, "what": remark.text]) }
    }
}
