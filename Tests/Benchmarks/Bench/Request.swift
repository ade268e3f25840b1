import SuiteHarness

/// The command line: `[NAME…] [--json FILE] [--rows N] [--database CONNECTION] [--list]`, or `soak [--minutes N]`.
struct Request {
    private(set) var benchmarks: [any Benchmark] = []
    private(set) var file: String?
    /// How many readings the timeline has that pages are asked of.
    private(set) var rows = 2_000_000
    /// The database that keeps this timeline for another time, as libpq names it.
    private(set) var database: String?
    private(set) var isList = false
    /// How long to soak instead; nil: not at all.
    private(set) var soakMinutes: Int?

    init(_ words: [String]) throws {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--list": isList = true
            case "--json":
                guard let path = words.popFirst() else { throw HarnessError("--json takes a file") }
                file = path
            case "--rows":
                guard let count = words.popFirst().flatMap({ Int($0) }), count > 0 else { throw HarnessError("--rows takes a number") }
                rows = count
            case "--database":
                guard let connection = words.popFirst() else { throw HarnessError("--database takes libpq's connection string") }
                database = connection
            case "soak": soakMinutes = soakMinutes ?? 60
            case "--minutes":
                guard let minutes = words.popFirst().flatMap({ Int($0) }), minutes > 1 else {
                    throw HarnessError("--minutes takes 2 or more")
                }
                soakMinutes = minutes
            default: benchmarks.append(try Self.benchmark(word))
            }
        }
        if benchmarks.isEmpty { benchmarks = Catalogue.all }
    }

    private static func benchmark(_ name: String) throws -> any Benchmark {
        if let found = Catalogue.all.first(where: { $0.name == name }) { return found }
        throw HarnessError("no benchmark \(name); there are \(Catalogue.all.map(\.name).joined(separator: ", "))")
    }
}
