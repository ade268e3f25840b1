import Foundation
import SuiteHarness
import TestSupport

/// The whole chain under an even load for a long time: memory, latency and open files must stay flat.
///
/// A window is half a minute of 1,000 readings a second, due at fixed moments, each with a receipt.
struct Soak {
    /// The figures of one window.
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

/// Compares the last third of a soak with its first, the very first window left out, in which everything warms up.
struct SoakVerdict {
    private let early: ArraySlice<Soak.Window>
    private let late: ArraySlice<Soak.Window>

    init(_ windows: [Soak.Window]) {
        let warm = windows.dropFirst()
        early = warm.prefix(max(1, warm.count / 3))
        late = warm.suffix(max(1, warm.count / 3))
    }

    /// The figures that grew.
    var problems: [String] {
        var problems: [String] = []
        let (before, after) = (early.map(\.median).median, late.map(\.median).median)
        if after > 1.5 * before + 1 { problems.append("the median latency went from \(Table.number(before)) to \(Table.number(after)) ms") }
        let (tailBefore, tailAfter) = (early.map(\.tail).median, late.map(\.tail).median)
        if tailAfter > 2 * tailBefore + 5 {
            problems.append("the latency of the slowest hundredth went from \(Table.number(tailBefore)) to \(Table.number(tailAfter)) ms")
        }
        for service in (late.last?.memory ?? [:]).keys.sorted() { problems += growth(of: service) }
        return problems
    }

    private func growth(of service: String) -> [String] {
        let memory = { (windows: ArraySlice<Soak.Window>) in windows.compactMap { $0.memory[service] }.median }
        let files = { (windows: ArraySlice<Soak.Window>) in windows.compactMap { $0.descriptors[service].map(Double.init) }.median }
        var problems: [String] = []
        // Caches of pages and of names may fill a little further.
        if memory(late) > 1.1 * memory(early) + 2 {
            problems.append("\(service) went from \(Table.number(memory(early))) to \(Table.number(memory(late))) MB")
        }
        if files(late) > files(early) { problems.append("\(service) went from \(files(early)) to \(files(late)) open files") }
        return problems
    }
}

/// The most memory that any service takes while the database is away for a minute and sensors go on: the whole chain, devices to rows.
struct MemoryOutage: Benchmark {
    let name = "memory-outage"
    let unit = "MB"
    let goal = Goal.atMost(40)
    let repeats = 1
    private let load = Publication(format: .device, messages: 180_000, rate: 3000)

    func product(_ bench: Workbench) async throws -> Double {
        let timeline = try await TimelineRun(.postgres, bench)
        let ingest = try SuiteService("vigil-ingest", brokerPort: timeline.broker.port, folder: timeline.folder)
        try await timeline.service.start()
        try await ingest.start()
        try bench.postgres.stopImmediately()
        // Starts a minute of readings, and ends when the minute does.
        _ = try await load.start(port: timeline.broker.port, in: timeline.folder).result()
        try bench.postgres.start()
        _ = try await timeline.committed(load.count)
        let peaks = [timeline.service, ingest].compactMap { service in service.usage.map { (service.name, Double($0.peak) / 1e6) } }
        Output.note(peaks.map { "\($0.0) \(Table.number($0.1)) MB" }.joined(separator: ", "))
        try await ingest.stop()
        try await timeline.finish(load.readings, expected: load.count)
        return peaks.map(\.1).max() ?? .nan
    }
}
