import CPostgres
import Foundation
import Glibc
import Shares
import VigilSchema

/// The PostgreSQL database to use, and the role.
package struct PostgresConfiguration: Hashable, Sendable, CustomStringConvertible {
    /// The text that libpq accepts: `host=… dbname=… user=… sslmode=verify-full sslrootcert=…`, or a `postgresql://` URI.
    package var connection: String
    /// A file that holds the password, so that it stands in no process list; read again at each connection.
    package var passwordFile: String?

    /// The password, where the caller has read it already.
    package var password: String?

    /// Makes a configuration.
    package init(connection: String, passwordFile: String? = nil, password: String? = nil) {
        self.connection = connection
        self.passwordFile = passwordFile
        self.password = password
    }

    /// Says nothing: a connection string may hold a password.
    package var description: String { "PostgreSQL" }

    /// The password, without the line end that editors add.
    func currentPassword() throws(StoreError) -> String? {
        guard let passwordFile else { return password }
        guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
            throw StoreError(.misconfigured, operation: "connect", detail: "the password file \(passwordFile) cannot be read")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}

/// A connection to PostgreSQL through libpq, with its prepared statements.
///
/// Threading: libpq waits for the server in the calls below; it belongs to a `DatabaseThread`.
@safe final class PostgresConnection: SQLConnection {
    let handle: OpaquePointer
    private var statements: [String: String] = [:]
    let zstd = ZstdContext()
    var dimensions = DimensionCache()
    /// The months that have partitions, as far as this connection knows.
    var months: Set<Month> = []
    /// A Boolean value that indicates whether the last append met known identities: then the next one looks for them first.
    var expectsRepetitions = false
    /// The lease without which nothing is committed; nil where whoever writes needs none.
    var lease: LeaseHold?
    private var isLetGo = false
    let interrupter: SocketInterrupter?
    /// A Boolean value that indicates whether rollups are kept, as the migrator found or made it.
    var keepsRollups = true
    /// A Boolean value that indicates whether the last append met days that sealing has passed: then the next one looks for them first.
    var expectsSealed = false

    /// - Parameter schema: a plain name of the program's own.
    init(_ configuration: PostgresConfiguration, readOnly: Bool, schema: String = "public") throws(StoreError) {
        // What stands after `dbname`, which may hold a whole connection string, overrides it; what stands before is overridden.
        var parameters = [
            ("connect_timeout", "10"), ("tcp_user_timeout", "30000"), ("keepalives_idle", "15"),
            ("application_name", "vigil \(ReplicaName.thisProcess)"),
            ("dbname", configuration.connection), ("client_encoding", "UTF8"),
        ]
        if let password = try configuration.currentPassword() { parameters.append(("password", password)) }
        guard let handle = unsafe Self.connect(parameters) else {
            throw StoreError(.unavailable, operation: "connect", detail: "out of memory")
        }
        unsafe self.handle = handle
        interrupter = unsafe SocketInterrupter(PQsocket(handle))
        guard unsafe PQstatus(handle) == CONNECTION_OK else { throw connectionFailure() }
        unsafe vigil_pq_silence(handle)
        // Numbers and times travel in binary, so the session's locale and time zone do not matter but in a text that a query makes.
        try execute("SET TimeZone = 'UTC'; SET search_path = \(schema)")
        guard readOnly else { return }
        // To plan a query over ten years' partitions takes ten times as long as to run it: it is planned once, and the partitions that it
        // does not need are left out when it runs. The rollups have no partitions, and are asked by `rowsPlannedForValues`.
        // A transaction that reads sees one state throughout: a day may be sealed between two of its queries.
        try execute("SET default_transaction_isolation = 'repeatable read'")
        try execute("SET default_transaction_read_only = on; SET statement_timeout = '60s'; SET plan_cache_mode = force_generic_plan")
        // The days of ten years are each on a page of their own: asked of the disk side by side, they come two to three times as soon where
        // nobody has looked at them lately. A server that cannot do so says so, and reads one after the other.
        try? execute("SET effective_io_concurrency = 64")
    }

    deinit { unsafe PQfinish(handle) }

    /// Whatever the database's default is: an erasure's later statements must see what was committed while it waited.
    static var beginWriting: String { "BEGIN ISOLATION LEVEL READ COMMITTED" }
    static var lockingClause: String { "FOR UPDATE" }

    static func daily(where condition: String) -> String { PostgresViews.daily(where: condition) }

    static func elements(of parameter: String) -> String {
        "SELECT value::bigint FROM json_array_elements_text(CAST(\(parameter) AS text)::json)"
    }

    static func moment(_ column: String, plus seconds: Int) -> String { "(\(column) + interval '\(seconds) seconds')" }

    func prefersIndexes() throws(StoreError) { try execute(KnownIdentities.lookedUpOneByOne) }

    static let tableSizes = """
        SELECT coalesce(whole.relname, t.relname)::text, CAST(sum(pg_total_relation_size(t.oid)) AS bigint)
        FROM pg_class t LEFT JOIN pg_inherits i ON i.inhrelid = t.oid LEFT JOIN pg_class whole ON whole.oid = i.inhparent
        WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace GROUP BY 1
        """

    static func bucketStart(_ column: String, _ level: RollupLevel) -> String { "date_trunc('\(level.rawValue)', \(column), 'UTC')" }

    var isInTransaction: Bool {
        let status = unsafe PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE
    }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        unsafe PostgresResult(try run(sql, values.map(PostgresParameter.init), operation: "query")).rows()
    }

    func rowsPlannedForValues(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        let parameters = values.map(PostgresParameter.init)
        let types = parameters.map { Oid($0.type) }
        let result = unsafe PostgresParameter.withPointers(parameters) { values, lengths, formats in
            unsafe PQexecParams(handle, sql, Int32(types.count), types, values, lengths, formats, 1)
        }
        return unsafe PostgresResult(try checked(result, "query")).rows()
    }

    /// The rows of a query whose parameters are whole columns.
    func rows(_ sql: String, columns: [PostgresParameter]) throws(StoreError) -> [SQLRow] {
        unsafe PostgresResult(try run(sql, columns, operation: "query")).rows()
    }

    @discardableResult
    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        unsafe PostgresResult(try run(sql, values.map(PostgresParameter.init), operation: "write")).changes
    }

    func execute(_ sql: String) throws(StoreError) {
        unsafe PQclear(try checked(PQexec(handle, sql), "execute"))
    }

    func dropPartitions(of table: String, before end: Int64) throws(StoreError) -> [String] {
        try Partitions(connection: self).drop(table, before: end)
    }

    /// Sends pieces through a `COPY … FROM STDIN`; `sql` may start with `BEGIN;`.
    /// - Parameters:
    ///   - next: the next piece; nil after the last.
    ///   - meanwhile: runs while the server works off what was sent.
    func copy(_ sql: String, next: () -> [UInt8]?, meanwhile: () -> Void = {}) throws(StoreError) {
        unsafe PQclear(try checked(PQexec(handle, sql), "copy"))
        try send(CopyFormat.header)
        while let piece = next() { try send(piece) }
        try send(CopyFormat.end)
        guard unsafe PQputCopyEnd(handle, nil) == 1 else { throw connectionFailure() }
        meanwhile()
        var failure: StoreError?
        // All results have to be taken, also after one that failed, before the connection can be used again.
        while let result = unsafe PQgetResult(handle) {
            do throws(StoreError) { unsafe PQclear(try checked(result, "copy")) } catch { failure = failure ?? error }
            if unsafe PQstatus(handle) != CONNECTION_OK { break }
        }
        if let failure { throw failure }
    }

    private func send(_ bytes: [UInt8]) throws(StoreError) {
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe PQputCopyData(handle, $0.baseAddress, Int32($0.count)) == 1 }
        }
        if !sent { throw connectionFailure() }
    }

    private func run(_ sql: String, _ parameters: [PostgresParameter], operation: String) throws(StoreError) -> OpaquePointer {
        let name = try prepared(sql, parameters)
        let result = unsafe PostgresParameter.withPointers(parameters) { values, lengths, formats in
            unsafe PQexecPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
        }
        return unsafe try checked(result, operation)
    }

    func prepared(_ sql: String, _ parameters: [PostgresParameter]) throws(StoreError) -> String {
        // NULL has no type: the same SQL with other types is another statement.
        let key = parameters.reduce(into: sql) { $0 += " \($1.type)" }
        if let known = statements[key] { return known }
        let name = "s\(statements.count)"
        let types = parameters.map { Oid($0.type) }
        unsafe PQclear(try checked(PQprepare(handle, name, sql, Int32(types.count), types), "prepare"))
        statements[key] = name
        return name
    }

    /// The result, or the error that it stands for, after which it is freed.
    func checked(_ result: OpaquePointer?, _ operation: String) throws(StoreError) -> OpaquePointer {
        guard let result = unsafe result else { throw connectionFailure() }
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN: return unsafe result
        default:
            let error = unsafe StoreError(result, operation: operation, connected: PQstatus(handle) == CONNECTION_OK)
            unsafe PQclear(result)
            throw error
        }
    }

    func connectionFailure() -> StoreError {
        let message = unsafe String(cString: PQerrorMessage(handle))
        return StoreError(connectionMessage: message, refused: unsafe PQconnectionNeedsPassword(handle) == 1)
    }

    private static func connect(_ parameters: [(String, String)]) -> OpaquePointer? {
        var keywords: [UnsafePointer<CChar>?] = unsafe []
        var values: [UnsafePointer<CChar>?] = unsafe []
        for (keyword, value) in parameters {
            unsafe keywords.append(UnsafePointer(strdup(keyword)))
            unsafe values.append(UnsafePointer(strdup(value)))
        }
        defer { unsafe (keywords + values).forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
        unsafe keywords.append(nil)
        unsafe values.append(nil)
        return unsafe PQconnectdbParams(keywords, values, 1)
    }
}

extension PostgresConnection {
    /// The statements that end a transaction. A lease's row is locked in the same round trip, so that nobody claims the share between the look at
    /// its epoch and the commit, however long this process is stopped meanwhile.
    var commitCommands: [Command] {
        let fence = lease.map { lease in
            let values: [SQLValue] = [.text(lease.service), .integer(Int64(lease.share)), .integer(lease.epoch)]
            return Command(sql: "SELECT hold_lease($1, $2, $3)", parameters: values.map(PostgresParameter.init))
        }
        return [fence, Command(sql: "COMMIT")].compactMap { $0 }
    }

    /// Has the server end a transaction in which it hears nothing for some seconds: a process that was stopped in the middle of one would keep
    /// its rows from whoever takes its place, until it goes on.
    func letsGoWhenFrozen() throws(StoreError) {
        guard !isLetGo else { return }
        try execute("SET idle_in_transaction_session_timeout = '3s'")
        isLetGo = true
    }

    func commit() throws(StoreError) {
        guard lease != nil else { return try execute("COMMIT") }
        try pipeline(commitCommands)
    }

    /// A statement and its parameters, for a pipeline.
    struct Command {
        let sql: String
        var parameters: [PostgresParameter] = []
    }

    /// Runs statements one after the other in one round trip; what they give is thrown away.
    ///
    /// One that fails keeps those after it from running, and its error is thrown.
    /// https://www.postgresql.org/docs/15/libpq-pipeline-mode.html
    func pipeline(_ commands: [Command]) throws(StoreError) {
        guard !commands.isEmpty else { return }
        // To prepare one takes an answer, so it is done before, once for each.
        var names: [String] = []
        for command in commands { names.append(try prepared(command.sql, command.parameters)) }
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw connectionFailure() }
        defer { unsafe PQexitPipelineMode(handle) }
        for (name, command) in zip(names, commands) { try send(name, command.parameters) }
        guard unsafe PQpipelineSync(handle) == 1 else { throw connectionFailure() }
        try takeResults()
    }

    private func send(_ name: String, _ parameters: [PostgresParameter]) throws(StoreError) {
        let sent = unsafe PostgresParameter.withPointers(parameters) { values, lengths, formats in
            unsafe PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
        }
        if sent != 1 { throw connectionFailure() }
    }

    /// All of them, also after one that failed, up to the pipeline's end.
    private func takeResults() throws(StoreError) {
        var failure: StoreError?
        while true {
            guard let result = unsafe PQgetResult(handle) else {
                // Between two statements' results stands a null; at a broken connection nothing else comes.
                guard unsafe PQstatus(handle) == CONNECTION_OK else { throw failure ?? connectionFailure() }
                continue
            }
            switch unsafe PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                unsafe PQclear(result)
                if let failure { throw failure }
                return
            case PGRES_PIPELINE_ABORTED: unsafe PQclear(result)
            default:
                do throws(StoreError) { unsafe PQclear(try checked(result, "write")) } catch { failure = failure ?? error }
            }
        }
    }
}
