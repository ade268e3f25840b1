import Foundation
import SuiteHarness
import TestSupport
import TimelineStore
import VigilSchema

/// Readings into SQLite, each once, with rollups or with that setting off: rows a second, by the side of a C loop with a prepared statement
/// into the same table, which keeps no rollups.
struct SQLiteScalars: Benchmark {
    let rollups: Bool
    var name: String { rollups ? "sqlite" : "sqlite-no-rollups" }
    let unit = "rows/s"
    var goal: Goal { .ratio(rollups ? 0.6 : 0.9) }
    let yardstick: String? = "a prepared statement in C, without rollups"
    let repeats = 5
    private let load = ScalarLoad(count: 500_000, perAppend: 1000)

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        return try await load.run(SQLiteStore(path: folder.path("timeline.sqlite"), options: StoreOptions(rollups: rollups)))
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        let flags = ["--path", folder.path("limit.sqlite"), "--count", "\(load.count)", "--batch", "\(load.perAppend)"]
        let result = try await LimitProgram("sqlite", flags + load.readings.flags, in: folder).result()
        return Double(load.count) * 1e9 / Double(result["end", default: 0] - result["start", default: 0])
    }
}

/// Readings into PostgreSQL, each once, with rollups or with that setting off: rows a second, by the side of a C loop of binary COPY into the
/// same keyed table, which keeps no rollups.
struct PostgresScalars: Benchmark {
    let rollups: Bool
    var name: String { rollups ? "scalars-postgres" : "scalars-postgres-no-rollups" }
    let unit = "rows/s"
    var goal: Goal { .ratio(rollups ? 0.5 : 0.8) }
    let yardstick: String? = "binary COPY in C, without rollups"
    let repeats = 5
    private let load = ScalarLoad(count: 1_000_000, perAppend: 10_000)

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        guard case .postgres(_, let connection) = try bench.store(.postgres, in: folder) else { return .nan }
        return try await load.run(PostgresStore(PostgresConfiguration(connection: connection), options: StoreOptions(rollups: rollups)))
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        guard case .postgres(let server, let connection) = try bench.store(.postgres, in: folder) else { return nil }
        try server.psql(Self.table, in: connection)
        let flags = ["--database", connection, "--count", "\(load.count)", "--batch", "\(load.perAppend)"]
        let result = try await LimitProgram("copy", flags + load.readings.flags, in: folder).result()
        return Double(load.count) * 1e9 / Double(result["end", default: 0] - result["start", default: 0])
    }

    /// As the store's, without its partitions.
    private static let table = """
        CREATE TABLE limit_reading (
            time timestamptz NOT NULL, participant integer NOT NULL, metric integer NOT NULL, source integer NOT NULL,
            seq integer NOT NULL, value double precision, text text, received timestamptz NOT NULL, session integer, origin integer,
            zone smallint, PRIMARY KEY (time, participant, metric, source, seq));
        CREATE INDEX limit_reading_text ON limit_reading (participant, metric, time) WHERE text IS NOT NULL;
        """
}

/// Blocks of 100 samples of an electrocardiogram into PostgreSQL, compressed, each once: samples a second.
struct PostgresWaveforms: Benchmark {
    let name = "waveforms-postgres"
    let unit = "samples/s"
    let goal = Goal.atLeast(1_000_000)
    private static let (people, samples, appends) = (50, 100, 100)
    /// Blocks of each participant in one append.
    private static let blocks = 10

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        guard case .postgres(_, let connection) = try bench.store(.postgres, in: folder) else { return .nan }
        let store = PostgresStore(PostgresConfiguration(connection: connection))
        try await store.open()
        var elapsed = Duration.zero
        for number in 0..<Self.appends {
            let batch = Self.batch(number)
            elapsed += try await ContinuousClock().measure {
                let stored = try await store.append([batch])[0].stored
                guard stored == Self.people * Self.blocks else { throw HarnessError("stored \(stored) blocks") }
            }
        }
        await store.close()
        return Double(Self.people * Self.blocks * Self.samples * Self.appends) / elapsed.seconds
    }

    private static func batch(_ number: Int) -> ObservationBatch {
        let groups = (0..<people).map { person in
            let observations = (0..<blocks).map { block in
                let start = (number * blocks + block) * samples
                return Observation(
                    metric: "ecg", time: Timestamp(seconds: 1_700_000_000 + Double(start) * 0.004),
                    content: .samples((start..<start + samples).map { sample($0, of: person) }, period: 0.004), unit: "mV")
            }
            return ObservationGroup(
                participant: "bench-\(person)", source: "bench/1", received: Timestamp(seconds: 1_700_000_000), observations: observations)
        }
        return ObservationBatch(id: "01HF0000000000000000000000", groups: groups)
    }

    /// A beat every 0.8 s of two bumps, with noise, to the microvolt, as a chest strap sends it.
    private static func sample(_ number: Int, of person: Int) -> Double {
        let phase = (Double(number) * 0.004).truncatingRemainder(dividingBy: 0.8) / 0.8
        let beat = exp(-pow((phase - 0.4) / 0.012, 2)) + 0.2 * exp(-pow((phase - 0.65) / 0.04, 2))
        let noise = Double((number &* 7919 &+ person &* 104_729) % 41 - 20)
        return ((beat * 1000) + noise).rounded() / 1000
    }
}

/// Messages that waited at the broker while `vigil-timeline` was away, into PostgreSQL, a tenth of the messages twice: readings a second from the
/// start of the process to the last commit.
struct BacklogPostgres: Benchmark {
    /// Readings in a message: as `vigil-ingest` makes them under load, or single ones.
    enum Load: Int { case batches = 100, single = 1 }

    let load: Load
    var name: String { load == .batches ? "backlog-postgres" : "backlog-postgres-single" }
    let unit = "readings/s"
    let goal = Goal.atLeast(100_000)

    private var publication: Publication {
        Publication(
            messages: load == .batches ? 10_000 : 300_000, perMessage: load.rawValue, extra: ["--duplicates-permille", "100"])
    }

    func product(_ bench: Workbench) async throws -> Double {
        let timeline = try await TimelineRun(.postgres, bench)
        // Once, for the broker to know the session and the store its tables.
        try await timeline.service.start()
        try await timeline.service.stop()
        _ = try await publication.start(port: timeline.broker.port, in: timeline.folder).result()
        let start = MonotonicTime.now
        let end = try await bench.watching(publication.count, "readings") {
            try timeline.service.launch()
            return try await timeline.committed(publication.count)
        }
        try await timeline.finish(publication.readings, expected: publication.count)
        return Double(publication.count) * 1e9 / Double(end - start)
    }
}
