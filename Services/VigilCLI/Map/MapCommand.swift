import Foundation
import Observability
import SensorIngest
import ServiceKit
import Settings
import VigilSchema

/// `vigil map`: mapping files, tried before they are put in force.
enum MapCommand {
    static let command = Command(
        name: "map", summary: "tries mapping files: what messages of other makers become",
        subcommands: [test, list, LearnCommand.command, reload, discovered])

    private static let topic = Setting.required("topic", .text, help: "The topic on which the message came.")
    private static let payload = Setting.optional(
        "payload", .text, help: "The message; @FILE for a file's content. By default each line of standard input is one.")
    private static let files = Operands(
        "FILE", count: 1...64, help: "Mapping files or folders. Tables of one name add up; files named later go first.")

    private static let test = Command(
        name: "test", summary: "shows what a message becomes by mapping files",
        details: "Ends with 1 where a file has a mistake, told with line and column, or where something of a message is refused.",
        settings: [topic, payload], operands: files
    ) { invocation in
        let mappings = try load(invocation.operands)
        let topic = try invocation[topic]
        var isRefused = false
        for payload in try payloads(try invocation[payload]) {
            isRefused = !show(payload, topic: topic, by: mappings) || isRefused
        }
        if isRefused { throw CommandError(.failure, "not everything is taken") }
    }

    private static let list = Command(
        name: "list", summary: "lists the mappings of files, and the topics that they listen to", operands: files
    ) { invocation in
        for mapping in try load(invocation.operands).mappings {
            StandardOutput.line("\(mapping.name)\t\(mapping.topics.map(\.filter).joined(separator: " "))\t\(mapping.file)")
        }
    }

    private static let reload = Command(
        name: "reload", summary: "has vigil-ingest read its mapping files again; with a mistake in them it keeps the old ones, and says so",
        settings: BrokerSession.settings
    ) { invocation in
        let client = ModuleClient(session: try BrokerSession(invocation, command: "map"), service: "vigil-ingest", timeout: .seconds(10))
        StandardOutput.line(
            try await client.run { ingest in
                try await ingest.set("mappings", "reload")
                return "in force: " + (try await ingest.get("mappings"))
            })
    }

    private static let discovered = Command(
        name: "discovered", summary: "lists the sensors that bridges have announced to Home Assistant, and what became of each",
        settings: BrokerSession.settings
    ) { invocation in
        let client = ModuleClient(session: try BrokerSession(invocation, command: "map"), service: "vigil-ingest", timeout: .seconds(10))
        let list = try await client.run { ingest in try await ingest.get("discovered") }
        StandardOutput.line(list.isEmpty ? "no sensor is announced" : list)
    }

    static func load(_ paths: [String]) throws -> MappingSet {
        do {
            return try MappingFile.load(paths)
        } catch let mistakes as MappingFile.Malformed where mistakes.problems.count > 1 {
            for problem in mistakes.problems { StandardError.line(problem) }
            throw CommandError(.failure, "\(mistakes.problems.count) mistakes in mapping files")
        } catch {
            throw CommandError(.failure, "\(error)")
        }
    }

    private static func payloads(_ text: String?) throws -> [[UInt8]] {
        guard let text else { return InputLines().flatMap(\.self) }
        guard text.hasPrefix("@") else { return [Array(text.utf8)] }
        return [[UInt8](try Data(contentsOf: URL(filePath: String(text.dropFirst()))))]
    }

    /// False where something is refused.
    private static func show(_ payload: [UInt8], topic: String, by mappings: MappingSet) -> Bool {
        let message = MappedMessage(payload, topic: topic, by: mappings)
        for line in message.accepted { StandardOutput.line(line) }
        for line in message.refused { StandardOutput.line("refused: \(line)") }
        return message.refused.isEmpty
    }
}
