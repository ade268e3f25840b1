package import MessageBus
package import Observability
import VigilSchema

/// Publishes canonical observations under the form of topic that the deployment has, whatever form the sender gave them: services and what they keep
/// for later know one form only.
package struct SharedTopics: MessagePublisher {
    private let publisher: any MessagePublisher

    /// - Parameter publisher: takes each message with its topic in the form that names shares.
    package init(_ publisher: any MessagePublisher) { self.publisher = publisher }

    package func publish(_ message: OutgoingMessage) async throws(BusError) {
        var message = message
        message.topic = Topic.Form.shared.applied(to: message.topic)
        try await publisher.publish(message)
    }
}

/// Publishes anew, under topics that name shares, what came under those that do not: its publisher has another `--shares` than the deployment, or was
/// written for one machine. No share's owner hears it otherwise.
///
/// What comes under one topic keeps its order. A message is acknowledged once the broker has its copy, so one may be published twice.
package struct UnsharedTopicForwarder<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private let batches: Batches
    private let publisher: any MessagePublisher
    private let forwarded: Counter
    private let refused: Counter
    private let log: Logger

    /// - Parameters:
    ///   - batches: Messages under plain topics.
    ///   - publisher: Any; the topics are given their form here.
    package init(batches: Batches, publisher: any MessagePublisher, metrics: MetricsRegistry, log: Logger) {
        (self.batches, self.publisher, self.log) = (batches, SharedTopics(publisher), log)
        forwarded = metrics.counter(
            "vigil_shares_strays_total", help: "Batches that came on a topic without a share and were republished with it."
        )
        refused = metrics.counter("vigil_shares_strays_refused_total", help: "Batches that the broker refused.")
    }

    package func run() async throws {
        var isTold = false
        for try await batch in batches {
            if !isTold, let first = batch.messages.first {
                let publishers =
                    "a publisher has no --shares, or another number than the deployment: it costs a second way through the broker"
                log.warning("observations come without a share, and are published anew", ["topic": first.topic, "why": publishers])
            }
            isTold = true
            do {
                try await forward(batch.messages)
                batch.settle(.committed)
            } catch {
                batch.settle(.rejected)
                if Task.isCancelled { return }
                log.error("what came without a share is given back", ["messages": "\(batch.messages.count)", "error": "\(error)"])
            }
        }
    }

    private func forward(_ messages: [IncomingMessage]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (topic, messages) in Dictionary(grouping: messages, by: \.topic) {
                tasks.addTask { for message in messages { try await forward(message, known(topic)) } }
            }
            try await tasks.waitForAll()
        }
    }

    private func forward(_ message: IncomingMessage, _ topic: String) async throws {
        do throws(BusError) {
            try await publisher.publish(OutgoingMessage(topic: topic, payload: message.payload, properties: message.properties))
            forwarded.add()
        } catch {
            // A message that can never be published must not hold up the others.
            guard [.messageTooLarge, .invalidTopic, .notAuthorized].contains(error.code) else { throw error }
            refused.add()
            log.error("the broker refuses what came without a share", ["topic": topic, "error": error.description])
        }
    }

    /// A topic of which there is a form with shares. One process takes what stands under any topic of two levels, so that is kept too.
    private func known(_ topic: String) -> String {
        if (try? Topic(parsing: topic)) != nil { return topic }
        let first = Partition.all[0]
        return topic.hasPrefix("\(Topic.prefix)history/") ? Topic.history(first).path : Topic.readings(first).path
    }
}
