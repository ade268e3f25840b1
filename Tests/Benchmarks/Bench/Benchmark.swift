import SuiteHarness

/// One thing that is measured: against a limit in the same run, or against a figure.
protocol Benchmark: Sendable {
    /// For the command line and the JSON file; stays the same for good.
    var name: String { get }
    /// Of the values.
    var unit: String { get }
    var goal: Goal { get }
    /// The number of times that product and limit are measured, in turn.
    var repeats: Int { get }
    /// The program, query or loop that is measured beside it, in a few words; nil where there is none.
    var yardstick: String? { get }

    /// Measures what Vigil reaches.
    func product(_ bench: Workbench) async throws -> Double
    /// Measures what a program reaches that does nothing else; nil where there is none.
    func limit(_ bench: Workbench) async throws -> Double?
}

extension Benchmark {
    var repeats: Int { 3 }
    var yardstick: String? { nil }

    func limit(_ bench: Workbench) async throws -> Double? { nil }
}

/// Every benchmark, in the order of performance.md's goals.
enum Catalogue {
    static let all: [any Benchmark] = [
        LiveTimeline(name: "live-timeline", store: .postgres),
        LiveTimeline(name: "live-timeline-sqlite", store: .sqlite),
        LiveChain(load: .readings, store: .postgres),
        LiveChain(load: .readings, store: .sqlite),
        LiveChain(load: .waveforms, store: .postgres),
        LiveChain(load: .waveforms, store: .sqlite),
        JSONDecode(load: .readings),
        JSONDecode(load: .samples),
        MappedDecode(),
        NativeBesideMappings(),
        BacklogPostgres(load: .batches),
        BacklogPostgres(load: .single),
        MemoryOutage(),
        SQLiteScalars(rollups: true),
        SQLiteScalars(rollups: false),
        VaultScalars(),
        PostgresScalars(rollups: true),
        PostgresScalars(rollups: false),
        PostgresWaveforms(),
        WaveformBytes(recording: .mitdb),
        WaveformBytes(recording: .bidmc),
        WaveformBytes(recording: .bidmcPulse),
        TimelinePages(question: .day),
        TimelinePages(question: .decade),
        TimelinePages(question: .weekdays),
        ImportParse(),
        ImportPostgres(),
        ImportLive(store: .postgres, share: .median),
        ImportLive(store: .postgres, share: .tail),
        ImportLive(store: .sqlite, share: .median),
        ImportLive(store: .sqlite, share: .tail),
        ImportCorrections(),
        ImportUndo(store: .sqlite),
        ImportUndo(store: .postgres),
        ImportKills(store: .sqlite),
        ImportKills(store: .postgres),
        ImportMemory(content: .csv),
        ImportMemory(content: .health),
        ImportMemory(content: .archive),
        RPeaks(yardstick: .filters),
        RPeaks(yardstick: .sleepecg),
        StressUpdate(),
        ModulesDecade(),
        ModulesLive(),
        ModulesMemory(),
        AlertEngineRate(),
        AlertEngineMemory(),
        AlertLatency(share: .median),
        AlertLatency(share: .tail),
        AlertBesideHanging(),
        ReceiptLatency(share: .median),
        ReceiptLatency(share: .tail),
        CrowdMemory(),
        CrowdAlertMemory(),
        HostileReceipts(),
        ViewerLatency(share: .median),
        ViewerLatency(share: .tail),
        ViewerCrowd(cost: .memory),
        ViewerCrowd(cost: .processor),
        LivePeer(),
        LiveCollectd(),
    ]
}

/// The goal of a benchmark.
enum Goal: Sendable {
    /// The value is at least this share of the limit.
    case ratio(Double)
    /// The value is at most so many times the limit.
    case atMostRatio(Double)
    /// The value is at least this.
    case atLeast(Double)
    /// The value is at most this.
    case atMost(Double)

    /// The goal's number.
    var number: Double {
        switch self {
        case .ratio(let number), .atMostRatio(let number), .atLeast(let number), .atMost(let number): number
        }
    }

    /// In words: "≥ 0.5 ×" is a ratio, "≤ 60" a figure.
    var text: String {
        switch self {
        case .ratio(let number): "≥ \(number) ×"
        case .atMostRatio(let number): "≤ \(number) ×"
        case .atLeast(let least): "≥ \(Table.number(least))"
        case .atMost(let most): "≤ \(Table.number(most))"
        }
    }

    func isMet(value: Double, ratio: Double?) -> Bool {
        switch self {
        case .ratio(let least): (ratio ?? 0) >= least
        case .atMostRatio(let most): (ratio ?? .infinity) <= most
        case .atLeast(let least): value >= least
        case .atMost(let most): value <= most
        }
    }
}

/// A benchmark's medians, as the JSON file has them.
struct Outcome: Encodable, Sendable {
    let name: String
    let value: Double
    let limit: Double?
    /// Value by limit; the median of the rounds' ratios, since each round's two are measured close together.
    let ratio: Double?
    let goal: Double
    let met: Bool
    let unit: String
    /// What was measured beside it; nil where nothing was.
    let yardstick: String?
    /// A Boolean value that indicates whether the goal was missed before, and this is the second measurement.
    var isRepeated = false
    /// The reason why the goal was missed, as far as it was measured.
    var reason: String?

    init(_ benchmark: any Benchmark, values: [Double], limits: [Double]) {
        name = benchmark.name
        unit = benchmark.unit
        yardstick = benchmark.yardstick
        goal = benchmark.goal.number
        value = values.median
        limit = limits.isEmpty ? nil : limits.median
        ratio = limits.isEmpty ? nil : zip(values, limits).map { $0 / $1 }.median
        met = benchmark.goal.isMet(value: value, ratio: ratio)
    }
}

extension [Double] {
    /// The middle one, or the mean of the two in the middle.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
