import Foundation
import SuiteHarness
import TestSupport

/// The whole chain under an even load for a long time: memory, latency and open files must stay flat.
///
/// A window is half a minute of 1,000 readings a second, due at fixed moments, each with a receipt.
struct Soak {
    /// What one window showed.
    struct Window {
        let median: Double
        let tail: Double
        /// By service, in megabytes.
        let memory: [String: Double]
        let descriptors: [String: Int]
    }

    private static let rate = 1000
    private static let seconds = 30
    let minutes: Int

    /// Says whether all stayed flat.
    func run(_ bench: Workbench) async throws -> Bool {
        Output.say("\(Machine.description)\n\nwindow  median ms  99 % ms   memory MB and open files of each service")
        let chain = try await ChainRun(.postgres, bench)
        try await chain.start()
        var windows: [Window] = []
        for number in 0..<minutes * 60 / Self.seconds {
            windows.append(try await window(number, chain))
            Output.say(line(number, windows[number]))
        }
        try await chain.finish(load(count: windows.count, first: 0), countsBlocks: false)
        let problems = SoakVerdict(windows).problems
        for problem in problems { Output.say("NOT FLAT: \(problem)") }
        Output.say(problems.isEmpty ? "flat, and every reading stored once" : "not flat")
        return problems.isEmpty
    }

    private func load(count: Int, first: Int) -> Publication {
        let messages = Self.rate * Self.seconds
        return Publication(
            format: .device, messages: messages * count, rate: Self.rate, extra: ["--receipts", "1", "--first", "\(messages * first)"])
    }

    private func window(_ number: Int, _ chain: ChainRun) async throws -> Window {
        let publisher = try load(count: 1, first: number).start(port: chain.timeline.broker.port, in: chain.timeline.folder)
        let result = try await publisher.result()
        let usage = chain.services.compactMap { service in service.usage.map { (service.name, $0) } }
        guard usage.count == chain.services.count else { throw HarnessError("a service ended") }
        return Window(
            median: Double(result["receipt_p50"] ?? 0) / 1e6, tail: Double(result["receipt_p99"] ?? 0) / 1e6,
            memory: Dictionary(uniqueKeysWithValues: usage.map { ($0.0, Double($0.1.resident) / 1e6) }),
            descriptors: Dictionary(uniqueKeysWithValues: usage.map { ($0.0, $0.1.descriptors) }))
    }

    private func line(_ number: Int, _ window: Window) -> String {
        let services = window.memory.sorted { $0.key < $1.key }.map {
            "\($0.key.dropFirst(6)) \(Table.number($0.value)) \(window.descriptors[$0.key] ?? 0)"
        }
        return String(format: "%6d %10.2f %8.2f   ", number + 1, window.median, window.tail) + services.joined(separator: "  ")
    }
}
