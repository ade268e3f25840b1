import Observability
import ServiceKit
import Settings
import Synchronization

/// The mappings of a running service: read at the start, where any mistake ends it, and again on SIGHUP or by command, where a mistake leaves
/// the old ones in force.
struct MappingService {
    let rules: MappingRules
    let members: [ServiceGroup.Member]

    init(_ context: ServiceContext) throws {
        let paths = (try context[SensorIngestService.mappingFiles] ?? "").split(separator: ",").map(String.init)
        let loaded: MappingSet
        do {
            loaded = try MappingFile.load(paths)
        } catch {
            throw ConfigurationError(name: "--mappings", problem: .malformed(value: paths.joined(separator: ","), accepts: "\(error)"))
        }
        let rules = MappingRules(loaded)
        self.rules = rules
        let log = context.logger
        let filters = Set(loaded.filters)
        let reload: @Sendable () throws -> String = {
            let fresh = try MappingFile.load(paths)
            rules.replace(with: fresh)
            let missing = fresh.filters.filter { !filters.contains($0) }
            if !missing.isEmpty { log.warning("new topics are listened to after a restart", ["topics": missing.joined(separator: ", ")]) }
            log.notice("mappings read", ["count": "\(fresh.mappings.count)"])
            return "\(fresh.mappings.count) mappings"
        }
        context.exchange.add(
            Parameter(
                name: "mappings", kind: .text, description: "The mappings in force; setting it to anything reads the files again.",
                read: { .text(Self.described(rules.current, heard: filters)) }, write: { _ in _ = try reload() }))
        guard !paths.isEmpty else {
            members = []
            return
        }
        members = [
            ServiceGroup.Member("mappings", MappingReloader(reload: reload, log: log))
        ]
    }

    /// The mappings' names, and the topics that are listened to after a restart only.
    private static func described(_ mappings: MappingSet, heard: Set<String>) -> String {
        let names = mappings.mappings.map(\.name).joined(separator: ", ")
        let missing = mappings.filters.filter { !heard.contains($0) }
        return missing.isEmpty ? names : "\(names); listened to after a restart: \(missing.joined(separator: ", "))"
    }
}

/// Reads the mappings again on SIGHUP.
private struct MappingReloader: Service {
    let reload: @Sendable () throws -> String
    let log: Logger

    func run() async throws {
        for await _ in Hangups.stream() {
            do {
                _ = try reload()
            } catch {
                log.error("the mappings are as before; the files have mistakes", ["error": "\(error)"])
            }
        }
    }
}
