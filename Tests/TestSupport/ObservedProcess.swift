package import Foundation
import Synchronization

/// A program whose standard output a test watches while it runs, apart from its standard error, with an environment of its own.
package final class ObservedProcess: Sendable {
    /// How it ended and what it printed.
    package struct Result: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String
    }

    private struct State {
        var output = Data()
        var waiting: [(text: String, continuation: CheckedContinuation<Bool, Never>)] = []
        var isClosed = false
    }

    private let process: Mutex<Process>
    private let state = Mutex(State())
    private let ended: AsyncStream<Int32>
    private let errorFile: URL
    /// The system's number for it.
    package let identifier: Int32

    /// Starts it.
    package init(_ program: URL, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VIGIL_") }
        process.environment = inherited.merging(environment) { $1 }
        errorFile = FileManager.default.temporaryDirectory.appending(path: "vigil-test-\(UUID().uuidString).err")
        _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        process.terminationHandler = { process in
            end.yield(process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
            end.finish()
        }
        try process.run()
        identifier = process.processIdentifier
        self.process = Mutex(process)
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.take(data)
        }
    }

    /// Waits until it has printed the text; false when it closed its output before.
    package func printed(_ text: String) async -> Bool {
        await withCheckedContinuation { continuation in
            let known: Bool? = state.withLock { state in
                if String(decoding: state.output, as: UTF8.self).contains(text) { return true }
                if state.isClosed { return false }
                state.waiting.append((text, continuation))
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Sends it a signal.
    package func signal(_ number: Int32) { kill(identifier, number) }

    /// Waits for its end.
    package func result() async -> Result {
        var status: Int32 = -1
        for await code in ended { status = code }
        // What was printed last may still be on its way through the pipe.
        _ = await printed("\u{0}the end of the output\u{0}")
        let errors = FileManager.default.contents(atPath: errorFile.path) ?? Data()
        try? FileManager.default.removeItem(at: errorFile)
        return Result(
            status: status, output: state.withLock { String(decoding: $0.output, as: UTF8.self) },
            errors: String(decoding: errors, as: UTF8.self))
    }

    private func take(_ data: Data) {
        let answered = state.withLock { state -> [(CheckedContinuation<Bool, Never>, Bool)] in
            state.output.append(data)
            state.isClosed = state.isClosed || data.isEmpty
            let text = String(decoding: state.output, as: UTF8.self)
            let found = state.waiting.filter { text.contains($0.text) || state.isClosed }
            state.waiting.removeAll { text.contains($0.text) || state.isClosed }
            return found.map { ($0.continuation, text.contains($0.text)) }
        }
        for (continuation, isFound) in answered { continuation.resume(returning: isFound) }
    }
}
