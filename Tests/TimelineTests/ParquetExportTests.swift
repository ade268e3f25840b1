import Foundation
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Timeline

@Suite("Parquet files")
struct ParquetExportTests {
    /// 2017-01-19 23:59:59.5 UTC.
    private static let night = Timestamp(microseconds: 1_484_870_399_500_000)

    private static func reading(_ metric: String, _ seconds: Double, _ content: Observation.Content, unit: String = "/min") -> Observation {
        Observation(metric: metric, time: night.advanced(bySeconds: seconds), content: content, unit: unit, zone: -300)
    }

    private static let observations: [Observation] =
        (0..<2500).map { reading("heart-rate", Double($0) - 2000, .value(Double($0) / 4)) } + [
            reading("note", -5, .text("slept \"badly\", übel"), unit: "1"),
            // Half of it lies on the next day.
            reading("ecg", 0, .samples((0..<500).map { Double($0) / 200 }, period: 0.002), unit: "mV"),
        ]

    @Test("are a file a metric and day, which DuckDB and pyarrow read as they were stored, and a second export takes their place")
    func readers() async throws {
        let folder = try TemporaryFolder("vigil-parquet")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let group = ObservationGroup(
            participant: "anna", source: "watch", session: "05", received: Timestamp(seconds: 1_500_000_000),
            observations: Self.observations)
        _ = try await store.append([ObservationBatch(id: "b", groups: [group])])
        let source = ExportSource(store: store, participant: "anna", metric: nil, range: ExportSource.always)
        let target = URL(filePath: folder.path("out"))
        for _ in 0..<2 { #expect(try await ParquetExport(source: source, folder: target).write() == 3001) }
        await store.close()
        let files = try FileManager.default.subpathsOfDirectory(atPath: target.path).filter { $0.hasSuffix(".parquet") }.sorted()
        #expect(
            files == [
                "metric=ecg/day=2017-01-19/anna+samples.parquet", "metric=ecg/day=2017-01-20/anna+samples.parquet",
                "metric=heart-rate/day=2017-01-19/anna.parquet", "metric=heart-rate/day=2017-01-20/anna.parquet",
                "metric=note/day=2017-01-19/anna.parquet",
            ])
        #expect(
            try ParquetReaders.run(Self.script, [target.path]) == """
                ecg 2017-01-19 250 0.0 1.245
                ecg 2017-01-20 250 1.25 2.495
                heart-rate 2017-01-19 2001 0.0 500.0
                heart-rate 2017-01-20 499 500.25 624.75
                note 2017-01-19 1 None None
                1484870394.5 anna slept "badly", übel 1 watch 05 0 None -300 1500000000.0
                timestamp[us, tz=UTC]
                """)
    }

    private static let script = """
        import sys, duckdb, pyarrow.dataset
        files = f"'{sys.argv[1]}/*/*/*.parquet'"
        query = f"SELECT metric, day, count(*), min(value), max(value) FROM {files} GROUP BY 1, 2 ORDER BY 1, 2"
        for row in duckdb.sql(query).fetchall(): print(*row)
        table = pyarrow.dataset.dataset(sys.argv[1], partitioning="hive").to_table()
        note = next(row for row in table.to_pylist() if row["text"])
        names = ["participant", "text", "unit", "source", "session", "seq", "period", "zone"]
        print(note["time"].timestamp(), *(note[name] for name in names), note["received"].timestamp())
        print(table.schema.field("time").type)
        """

    @Test("have names in their paths that stay in the folder", arguments: [("heart-rate", "heart-rate"), ("../é a", "..%2f%c3%a9%20a")])
    func names(name: String, escaped: String) { #expect(ParquetExport.escaped(name) == escaped) }
}

/// DuckDB and pyarrow from PyPI, in an environment that is made once.
enum ParquetReaders {
    private static let environment = Result {
        let folder = URL.temporaryDirectory.appending(path: "vigil-parquet-readers")
        let (python, whole) = (folder.appending(path: "bin/python").path, folder.appending(path: "whole").path)
        if !FileManager.default.fileExists(atPath: whole) {
            _ = try ChildProcess.runBlocking(["python3", "-m", "venv", "--clear", folder.path])
            _ = try ChildProcess.runBlocking([python, "-m", "pip", "install", "--quiet", "duckdb", "pyarrow"])
            try Data().write(to: URL(filePath: whole))
        }
        return python
    }

    /// What a script prints.
    static func run(_ script: String, _ arguments: [String]) throws -> String {
        try ChildProcess.runBlocking([environment.get(), "-c", script] + arguments).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
