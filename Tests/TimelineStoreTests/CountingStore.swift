import Synchronization
import TimelineStore
import VigilSchema

/// A store in front of which a test counts what the database gives to who reads.
final class CountingStore: SQLTimelineStore {
    /// The counts of what was given.
    struct Counts: Sendable {
        var rows = 0
        /// Rows of the largest answer.
        var largest = 0
        /// Of blobs and texts.
        var bytes = 0
    }

    private let store: any SQLTimelineStore
    private let state = Mutex(Counts())

    init(_ store: any SQLTimelineStore) { self.store = store }

    /// The counts since they were asked for before.
    func counts() -> Counts {
        state.withLock { state in
            defer { state = Counts() }
            return state
        }
    }

    fileprivate func count(_ rows: [SQLRow]) -> [SQLRow] {
        state.withLock { state in
            state.rows += rows.count
            state.largest = max(state.largest, rows.count)
            for value in rows.lazy.flatMap(\.values) {
                switch value {
                case .blob(let bytes): state.bytes += bytes.count
                case .text(let text): state.bytes += text.utf8.count
                default: break
                }
            }
        }
        return rows
    }

    private func counting(_ connection: any SQLConnection) -> any SQLConnection {
        func wrap<Base: SQLConnection>(_ base: Base) -> any SQLConnection { CountingConnection(base, self) }
        return wrap(connection)
    }

    func open() async throws(StoreError) { try await store.open() }
    func close() async { await store.close() }
    func append(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] { try await store.append(batches) }
    func append(alerts: [AlertMessage]) async throws(StoreError) -> AppendCounts { try await store.append(alerts: alerts) }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await store.read { [self] connection throws(StoreError) in try body(counting(connection)) }
    }

    func record<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result { try await store.record(body) }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result { try await store.write(body) }
}

/// A connection that tells a store what it is given.
private final class CountingConnection<Base: SQLConnection>: SQLConnection {
    private let base: Base
    private let store: CountingStore

    init(_ base: Base, _ store: CountingStore) { (self.base, self.store) = (base, store) }

    static var beginWriting: String { Base.beginWriting }
    static var lockingClause: String { Base.lockingClause }
    static func elements(of parameter: String) -> String { Base.elements(of: parameter) }
    static func daily(where condition: String) -> String { Base.daily(where: condition) }
    static func moment(_ column: String, plus seconds: Int) -> String { Base.moment(column, plus: seconds) }
    static var tableSizes: String { Base.tableSizes }
    static func bucketStart(_ column: String, _ level: RollupLevel) -> String { Base.bucketStart(column, level) }

    var isInTransaction: Bool { base.isInTransaction }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] { store.count(try base.rows(sql, values)) }

    func rowsPlannedForValues(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        store.count(try base.rowsPlannedForValues(sql, values))
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int { try base.run(sql, values) }
    func execute(_ sql: String) throws(StoreError) { try base.execute(sql) }

    func dropPartitions(of table: String, before end: Int64) throws(StoreError) -> [String] {
        try base.dropPartitions(of: table, before: end)
    }

    func lockRollups() throws(StoreError) { try base.lockRollups() }

    func lockSealing() throws(StoreError) { try base.lockSealing() }
    func insert(_ readings: [SealedReading], of series: RollupKey) throws(StoreError) { try base.insert(readings, of: series) }

    func add(_ sums: [(key: RollupKey, aggregate: Aggregate)], to level: RollupLevel) throws(StoreError) {
        try base.add(sums, to: level)
    }

    func recount(_ keys: [RollupKey], _ level: RollupLevel) throws(StoreError) { try base.recount(keys, level) }
    func prefersIndexes() throws(StoreError) { try base.prefersIndexes() }
}
