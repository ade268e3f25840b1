import SuiteHarness

/// The command line: `[NAME…] [--json FILE] [--list]`.
struct Request {
    private(set) var benchmarks: [any Benchmark] = []
    private(set) var file: String?
    private(set) var isList = false

    init(_ words: [String]) throws {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--list": isList = true
            case "--json":
                guard let path = words.popFirst() else { throw HarnessError("--json takes a file") }
                file = path
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
