import Foundation
import MessageBus
import Observability
import SensorIngest
import ServiceKit
import Settings

/// `vigil map learn`: listens, and proposes a mapping file for what nobody has declared yet.
enum LearnCommand {
    private static let topics = Setting.required(
        "topic", .list(of: .text), help: "The topics to listen to, for example home/#; several are separated by commas.")
    private static let seconds = Setting("seconds", .integer(in: 1...86_400), default: 60, help: "How long to listen.")
    private static let discovery = Setting(
        "discovery", .text, default: "homeassistant",
        help: "The topic prefix of announcements to Home Assistant, which brokers retain for years.")
    private static let files = Setting(
        "mappings", .list(of: .text), default: [], help: "The mapping files or folders in force; messages that they read are left out.")

    static let command = Command(
        name: "learn", summary: "listens to topics and proposes a mapping file for the messages",
        details: """
            The file goes to standard output, with each guess marked GUESSED; open questions go to standard \
            error. Nothing takes effect: read the file, try it with vigil map test, and name it with --mappings.
            """,
        settings: [topics, seconds, discovery, files] + BrokerSession.settings
    ) { invocation in
        let known = try MapCommand.load(invocation[files])
        let prefix = try invocation[discovery]
        let filters = try invocation[topics] + ["\(prefix)/+/+/config", "\(prefix)/+/+/+/config"]
        let limit = try Duration.seconds(invocation[seconds])
        let session = try BrokerSession(invocation, command: "learn")
        StandardError.line("listening for \(limit); Ctrl-C shows what was heard so far")
        let heard = Proposals(known)
        _ = try await Interruption.stoppable {
            // What the broker keeps is heard too: sensors say seldom what they are.
            try await session.receiving(filters.map { Subscription($0, qos: .atMostOnce) }) { batches in
                try await heard.listen(to: batches, for: limit)
            }
        }
        let proposal = await heard.proposal
        guard proposal.messages > 0 else {
            throw CommandError(.failure, "nothing was published there meanwhile; listen for longer, or elsewhere")
        }
        StandardOutput.line(proposal.text)
        for question in proposal.questions { StandardError.line("ASK: \(question)") }
    }
}

/// The proposal in the making.
private actor Proposals {
    private(set) var proposal: MappingProposal

    init(_ known: MappingSet) { proposal = MappingProposal(known: known) }

    func listen(to batches: MessageBatches, for limit: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            // The command listens for just as long as its --seconds say.
            tasks.addTask { try await Task.sleep(for: limit) }
            tasks.addTask {
                for try await batch in batches {
                    await self.hear(batch.messages)
                    batch.settle(.committed)
                }
            }
            _ = try await tasks.next()
            tasks.cancelAll()
        }
    }

    private func hear(_ messages: [IncomingMessage]) {
        for message in messages { proposal.hear(topic: message.topic, payload: message.payload) }
    }
}
