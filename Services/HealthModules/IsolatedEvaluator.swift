import Dispatch
import Foundation
import Observability
import ServiceKit
import Synchronization

/// The outcome of a module's run for a person.
package enum EvaluationOutcome: Sendable, Hashable {
    case result(ModuleResult)
    /// The module threw, crashed, took too much time or memory, or produced too much output.
    case failed(String)
    /// No process could be started; not the module's fault.
    case postponed(String)
}

/// Runs modules for persons, one request at a time.
package protocol ModuleRunner: Sendable {
    func evaluate(_ request: EvaluationRequest) async -> [(module: String, outcome: EvaluationOutcome)]
}

/// Runs modules in a worker process, and starts a new one after a module has broken it.
package final class IsolatedEvaluator: ModuleRunner {
    private let launch: WorkerProcess.Launch
    private let limit: Duration
    private let queue = DispatchQueue(label: "vigil-modules-worker")
    /// Accessed on the queue only.
    private let worker = Mutex<WorkerProcess?>(nil)
    private let restarts: Counter

    /// - Parameter limit: the time limit of one module for one person.
    init(launch: WorkerProcess.Launch, limit: Duration, metrics: MetricsRegistry) {
        self.launch = launch
        self.limit = limit
        restarts = metrics.counter("vigil_modules_worker_restarts_total", help: "Worker processes that crashed or were stopped.")
    }

    package func evaluate(_ request: EvaluationRequest) async -> [(module: String, outcome: EvaluationOutcome)] {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.run(request)) }
        }
    }

    private func run(_ request: EvaluationRequest) -> [(module: String, outcome: EvaluationOutcome)] {
        var outcomes: [(module: String, outcome: EvaluationOutcome)] = []
        var rest = request
        var strikes = 0
        while !rest.modules.isEmpty {
            var current: String?
            do throws(WorkerFailure) {
                try exchange(rest, &current, &outcomes)
                return outcomes
            } catch {
                worker.withLock { $0 = nil }
                restarts.add()
                if let current { outcomes.append((current, .failed("\(error)"))) } else { strikes += 1 }
                let done = Set(outcomes.map(\.module))
                rest.modules.removeAll { done.contains($0) }
                if strikes > 1 { return outcomes + rest.modules.map { ($0, .postponed("\(error)")) } }
            }
        }
        return outcomes
    }

    private func exchange(
        _ request: EvaluationRequest, _ current: inout String?, _ outcomes: inout [(module: String, outcome: EvaluationOutcome)]
    ) throws(WorkerFailure) {
        guard let line = try? JSONEncoder().encode(request) else { throw .notStarted("the request cannot be written") }
        try withWorker { worker throws(WorkerFailure) in try worker.send([UInt8](line)) }
        while true {
            // A new process takes a while to load.
            let deadline = ContinuousClock.now + limit + (current == nil ? .seconds(10) : .zero)
            let bytes = try withWorker { worker throws(WorkerFailure) in try worker.receive(until: deadline) }
            guard let reply = try? JSONDecoder().decode(EvaluationReply.self, from: Data(bytes)) else {
                throw .gone("it printed something of its own")
            }
            if reply.finished == true { return }
            if let beginning = reply.beginning { current = beginning }
            if let module = reply.module {
                outcomes.append((module, reply.result.map { .result($0) } ?? .failed(reply.failure ?? "it failed")))
                current = nil
            }
        }
    }

    private func withWorker<Value>(_ body: (WorkerProcess) throws(WorkerFailure) -> Value) throws(WorkerFailure) -> Value {
        try worker.withLock { worker throws(WorkerFailure) in
            if let running = worker, !running.hasEnded { return try body(running) }
            let started = try WorkerProcess(launch)
            worker = started
            return try body(started)
        }
    }
}

/// Runs modules in the current process, for benchmarks and tests.
package final class DirectEvaluator: ModuleRunner {
    private let registry: ModuleRegistry
    private let stateFile: String

    package init(registry: ModuleRegistry, stateFile: String) {
        self.registry = registry
        self.stateFile = stateFile
    }

    package func evaluate(_ request: EvaluationRequest) async -> [(module: String, outcome: EvaluationOutcome)] {
        var outcomes: [(module: String, outcome: EvaluationOutcome)] = []
        do {
            try ModuleEvaluator(registry: registry, stateFile: stateFile).evaluate(request) { reply in
                guard let module = reply.module else { return }
                outcomes.append((module, reply.result.map { .result($0) } ?? .failed(reply.failure ?? "")))
            }
        } catch {
            return request.modules.map { ($0, .postponed("\(error)")) }
        }
        return outcomes
    }
}
