import Foundation
import Observability
import SensorIngest
import ServiceKit
import Settings
import VigilSchema

/// `vigil map`: mapping files, tried before they are put in force.
enum MapCommand {
    static let command = Command(
        name: "map", summary: "tests mapping files, which say what foreign messages mean",
        subcommands: [test, list, LearnCommand.command, reload, discovered])

    private static let topic = Setting.required("topic", .text, help: "The topic of the message.")
    private static let payload = Setting.optional(
        "payload", .text, help: "The message, or @FILE for a file's content. By default each line of standard input is a message.")
    private static let files = Operands(
        "FILE", count: 1...64, help: "Mapping files or folders. Tables of one name are joined; later files are tried first.")

    private static let test = Command(
        name: "test", summary: "shows what mapping files make of a message",
        details: "Ends with 1 if a file has a mistake, shown with line and column, or if any part of a message is refused.",
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
        name: "list", summary: "lists the mappings in files and their topics", operands: files
    ) { invocation in
        for mapping in try load(invocation.operands).mappings {
            StandardOutput.line("\(mapping.name)\t\(mapping.topics.map(\.filter).joined(separator: " "))\t\(mapping.file)")
        }
    }

    private static let reload = Command(
        name: "reload", summary: "makes vigil-ingest read its mapping files again; after a mistake the old ones stay in force",
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
        name: "discovered", summary: "lists the sensors that bridges announced to Home Assistant, and the outcome of each",
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
        let lines = message.accepted + message.states.map { "device: \($0)" } + message.refused.map { "refused: \($0)" }
        for line in lines { StandardOutput.line(line.printable) }
        return message.refused.isEmpty
    }
}
