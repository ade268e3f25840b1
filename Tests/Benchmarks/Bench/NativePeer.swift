import Foundation
import SuiteHarness
import TestSupport

/// A peer in C++ of `Tests/Benchmarks/Peers`, compiled when it is first run: only its own benchmarks need its library.
struct NativePeer {
    /// The name of its source without the ending.
    let name: String
    let flags: [String]
    /// The Debian packages that it needs, for the message where it cannot be made.
    let packages: String

    static let simdjson = NativePeer(name: "simdjson_fields", flags: ["-lsimdjson"], packages: "g++ libsimdjson-dev")

    /// Runs it over a payload, and gives the messages a second of processor time.
    /// - Parameter readings: the number of readings that a message holds.
    func rate(_ words: [String], payload: [UInt8], messages: Int, readings: Int, in folder: TemporaryFolder) async throws -> Double {
        let program = try await compiled(in: folder)
        let file = try folder.write(String(decoding: payload, as: UTF8.self), to: "payload")
        let result = LimitProgram.values(in: try await run(program, words + [file, "\(messages)"], in: folder))
        guard let nanoseconds = result["nanoseconds"], nanoseconds > 0, result["readings"] == Int64(messages * readings) else {
            throw HarnessError("\(name) read \(result["readings"] ?? 0) readings of \(messages * readings)")
        }
        return Double(messages) * 1e9 / Double(nanoseconds)
    }

    /// The program's path; made where it is missing or older than its source.
    private func compiled(in folder: TemporaryFolder) async throws -> String {
        let (source, made) = ("Tests/Benchmarks/Peers/\(name).cpp", ".build/bench-peers/\(name)")
        if let (old, new) = Self.times(source, made), new > old { return made }
        try FileManager.default.createDirectory(atPath: ".build/bench-peers", withIntermediateDirectories: true)
        do {
            try await run("/usr/bin/g++", ["-std=c++17", "-O3", "-o", made, source] + flags, in: folder)
        } catch {
            throw HarnessError("\(source) needs Debian's \(packages): \(error)")
        }
        return made
    }

    private static func times(_ source: String, _ made: String) -> (source: Date, made: Date)? {
        let times = [source, made].compactMap { try? FileManager.default.attributesOfItem(atPath: $0)[.modificationDate] as? Date }
        return times.count == 2 ? (times[0], times[1]) : nil
    }

    @discardableResult
    private func run(_ program: String, _ words: [String], in folder: TemporaryFolder) async throws -> String {
        let child = try ChildProcess(program, words, output: folder.path("peer-\(UUID().uuidString)"))
        guard try await child.waitForExit(within: .seconds(300)) == 0 else { throw HarnessError(child.output) }
        return child.output
    }
}
