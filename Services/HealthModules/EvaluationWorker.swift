import Foundation
import SQLiteDatabase
import ServiceKit
import Settings
import VigilSchema

/// A request to run modules for a person, and its results, one JSON line each.
package struct EvaluationRequest: Sendable, Codable {
    package var participant: String
    package var modules: [String]
    package var now: Double

    package init(participant: String, modules: [String], now: Double) {
        self.participant = participant
        self.modules = modules
        self.now = now
    }
}

/// A line from the worker: a module's start, then its result; `finished` after the last.
package struct EvaluationReply: Sendable, Codable {
    package var beginning: String?
    package var module: String?
    package var result: ModuleResult?
    /// The reason for the module's failure.
    package var failure: String?
    package var finished: Bool?
}

/// Runs modules on the state file, without changing it.
package struct ModuleEvaluator {
    /// The largest result in bytes of JSON.
    static let largestResult = 256 * 1024

    private let registry: ModuleRegistry
    private let database: Database

    package init(registry: ModuleRegistry, stateFile: String) throws {
        self.registry = registry
        database = try Database(path: stateFile, readOnly: true)
    }

    /// Runs the modules of a request one after the other. Reports each start and each result.
    package func evaluate(_ request: EvaluationRequest, _ tell: (EvaluationReply) throws -> Void) throws {
        let record = try StateRecord(request.participant, in: database, registry: registry, now: request.now)
        for id in request.modules {
            guard let record, let module = registry[id] else { continue }
            try tell(EvaluationReply(beginning: id))
            do {
                let result = try module.evaluate(ModuleContext(module: module, record: record, now: request.now))
                try tell(try Self.reply(id, result))
            } catch let error as WorkerFailure {
                throw error
            } catch {
                try tell(EvaluationReply(module: id, failure: "\(error)"))
            }
        }
        try tell(EvaluationReply(finished: true))
    }

    private static func reply(_ id: String, _ result: ModuleResult) throws -> EvaluationReply {
        let size = try JSONEncoder().encode(result).count
        guard size <= largestResult else {
            return EvaluationReply(module: id, failure: "its result has \(size) bytes, more than \(largestResult)")
        }
        return EvaluationReply(module: id, result: result)
    }
}

/// `vigil-modules worker`: the process for modules, so that a module that crashes, loops or uses too much memory harms
/// nothing else.
enum WorkerCommand {
    static let stateFile = Setting.required("state-file", .path, help: "The host's state file.")
    static let memory = Setting(
        "memory-limit", .integer(in: 64...16_384), default: 512, help: "The most memory of the modules together, in MiB.")

    static func command(_ registry: ModuleRegistry) -> Command {
        Command(
            name: "worker", summary: "runs modules; started by the host", settings: [stateFile, memory]
        ) { invocation in
            let limit = rlim_t(try invocation[memory]) * 1_048_576
            var bound = rlimit(rlim_cur: limit, rlim_max: limit)
            setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &bound)
            // The exit code shows a crash; a core file would contain health data.
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
            let evaluator = try ModuleEvaluator(registry: registry, stateFile: try invocation[stateFile])
            while let line = readLine() {
                let request = try JSONDecoder().decode(EvaluationRequest.self, from: Data(line.utf8))
                try evaluator.evaluate(request) { try write($0) }
            }
        }
    }

    private static func write(_ reply: EvaluationReply) throws {
        var line = try JSONEncoder().encode(reply)
        line.append(UInt8(ascii: "\n"))
        do { try FileHandle.standardOutput.write(contentsOf: line) } catch { throw WorkerFailure.gone("the host has gone") }
    }
}

/// The reason why a worker gives no further answers.
package enum WorkerFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// It could not be started.
    case notStarted(String)
    /// It ended, or was stopped because it took too long.
    case gone(String)

    package var description: String {
        switch self {
        case .notStarted(let reason): "the worker cannot be started: \(reason)"
        case .gone(let reason): reason
        }
    }
}
