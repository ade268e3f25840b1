import MessageBus
import Observability
import ServiceKit
import Settings

/// The mappings of a running service: read at the start, where any mistake ends it, and again on SIGHUP or by command, where a mistake leaves
/// the old ones in force.
struct MappingService: Sendable {
    static let discovery = Setting(
        "discovery", .text, default: "homeassistant",
        help: """
            The topic prefix on which bridges announce sensors to Home Assistant; those with a known metric are \
            read. off: none.
            """
    )

    let rules: MappingRules
    let members: [ServiceGroup.Member]
    private let topics: MappedTopics?

    init(_ context: ServiceContext) throws {
        let paths = (try context[SensorIngestService.mappingFiles] ?? "").split(separator: ",").map(String.init)
        let loaded: MappingSet
        do {
            loaded = try MappingFile.load(paths)
        } catch {
            throw ConfigurationError(name: "--mappings", problem: .malformed(value: paths.joined(separator: ","), accepts: "\(error)"))
        }
        let prefix = try context[Self.discovery]
        let log = context.logger
        let kept = KeptAnnouncements(path: try context.stateFile("announcements"), log: log)
        let rules = MappingRules(loaded, discoveryPrefix: paths.isEmpty || prefix == "off" ? nil : prefix, kept: kept)
        self.rules = rules
        let reload: @Sendable () throws -> String = {
            let fresh = try MappingFile.load(paths)
            rules.replace(with: fresh)
            log.notice("mappings read", ["count": "\(fresh.mappings.count)"])
            return "\(fresh.mappings.count) mappings"
        }
        Self.add(rules, reload, to: context.exchange)
        guard !paths.isEmpty else {
            (members, topics) = ([], nil)
            return
        }
        topics = MappedTopics(rules: rules, path: try context.stateFile("mapped-topics"), log: log)
        members = [ServiceGroup.Member("mappings", MappingReloader(reload: reload, log: log))]
    }

    /// Filters that the consumer's session may have from an earlier run, and that are wanted no more.
    var formerFilters: [String] { topics?.former ?? [] }

    /// The consumer listens to the mappings' topics, whatever they become.
    func follow(_ consumer: ServiceConsumer) { topics?.follow(consumer.consumer) }

    private static func add(_ rules: MappingRules, _ reload: @escaping @Sendable () throws -> String, to exchange: Exchange) {
        exchange.add(
            Parameter(
                name: "mappings", kind: .text, description: "The mappings in force; setting it to anything reads the files again.",
                read: { .text(rules.files.mappings.map(\.name).joined(separator: ", ")) }, write: { _ in _ = try reload() }))
        exchange.add(
            Parameter(
                name: "discovered", kind: .text, description: "The sensors that bridges have announced, and what became of each.",
                read: {
                    .text(rules.remarks.map { "\($0.isUnderstood ? "taken" : "left") \($0.topic): \($0.text)" }.joined(separator: "\n"))
                }))
    }
}

/// Reads the mappings again on SIGHUP.
private struct MappingReloader: Service {
    let reload: @Sendable () throws -> String
    let log: Logger

    func run() async throws {
        for await _ in ReloadSignals.stream() {
            do {
                _ = try reload()
            } catch {
                log.error("the mappings are as before; the files have mistakes", ["error": "\(error)"])
            }
        }
    }
}
