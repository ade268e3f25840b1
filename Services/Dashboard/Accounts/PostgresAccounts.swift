import Observability
package import ServiceKit
package import Settings
import Synchronization
package import TimelineStore

/// Accounts in PostgreSQL, for dashboards that serve side by side.
///
/// Nobody waits long for a database that is away: what is asked while it does not answer fails at once, those who waited behind the first that found out fail
/// with it, and only `AccountsWatch` tries whether it is back. Threading: any number of tasks; one after the other has its turn.
package final class PostgresAccounts: AccountDatabase {
    private static let attempts = 3

    private let isPatient: Bool
    private let state: PostgresState
    private let turns = AsyncLimit(1)
    private let away = Mutex<StoreError?>(nil)

    /// - Parameter isPatient: for what nobody waits for and may go through everything, such as an erasure: it has ten minutes, and is tried each time that it is asked for.
    package init(_ configuration: PostgresConfiguration, isPatient: Bool = false) {
        self.isPatient = isPatient
        state = PostgresState(configuration, AccountSchema.ofDatabase, limit: isPatient ? .seconds(600) : .seconds(3))
    }

    /// Those of the database that the settings name; nil where they name none.
    package convenience init?(
        _ settings: StateSettings, _ configuration: Configuration, isPatient: Bool = false
    ) throws(ConfigurationError) {
        guard let database = try settings.database(configuration) else { return nil }
        self.init(PostgresConfiguration(connection: database.uri, password: database.password), isPatient: isPatient)
    }

    package func read<Result: Sendable>(_ body: @Sendable (any SQLConnection) throws -> Result) async throws -> Result {
        let refusal = Refusal()
        return try await inTurn(refusal) {
            try await self.state.read { connection throws(StoreError) in try refusal.taking(connection, body) }
        }
    }

    @discardableResult
    package func transaction<Result: Sendable>(_ body: @Sendable (any SQLConnection) throws -> Result) async throws -> Result {
        for _ in 1..<Self.attempts {
            // Nothing of it was committed.
            do { return try await attempt(body) } catch let error as StoreError where error.code == .conflict {}
        }
        return try await attempt(body)
    }

    package func pseudonymise(_ name: String, as pseudonym: String, _ connection: any SQLConnection) throws -> Int {
        Int(try connection.rows("SELECT forget_in_audit($1, $2)", [.text(name), .text(pseudonym)])[0].integer(0))
    }

    /// The server's own vacuum sees to it.
    package func wipe() {}

    /// Tries whether the database answers, whatever was found before.
    func probe() async -> Bool {
        let isThere = await turns.run {
            (try? await self.state.read { connection throws(StoreError) in try connection.rows("SELECT 1") }) != nil
        }
        if isThere { away.withLock { $0 = nil } }
        return isThere
    }

    private func attempt<Result: Sendable>(_ body: @Sendable (any SQLConnection) throws -> Result) async throws -> Result {
        let refusal = Refusal()
        return try await inTurn(refusal) {
            try await self.state.transaction { connection throws(StoreError) in try refusal.taking(connection, body) }
        }
    }

    /// Runs `body` behind those who came before, unless one of them has found that the database is away.
    private func inTurn<Result: Sendable>(_ refusal: Refusal, _ body: @Sendable () async throws -> Result) async throws -> Result {
        try check()
        return try await turns.run {
            try self.check()
            do {
                return try await body()
            } catch let error as StoreError where error.isAbsence && !self.isPatient {
                self.away.withLock { $0 = error }
                throw error
            } catch {
                throw refusal.error ?? error
            }
        }
    }

    private func check() throws(StoreError) {
        if let error = away.withLock({ $0 }) { throw error }
    }
}

/// A rule's word against what was asked, where only the database's errors may come through: everything is taken back all the same.
private final class Refusal: Sendable {
    private let state = Mutex<(any Error)?>(nil)

    var error: (any Error)? { state.withLock { $0 } }

    /// Runs `body`, and keeps what it throws of its own.
    func taking<Result>(
        _ connection: any SQLConnection, _ body: (any SQLConnection) throws -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body(connection)
        } catch let error as StoreError {
            throw error
        } catch {
            state.withLock { $0 = error }
            throw StoreError(.badRequest, operation: "write", detail: "refused by a rule of the accounts")
        }
    }
}

/// Looks every second whether the database of the accounts answers, so that nobody who opens a page has to find out.
struct AccountsWatch: Service {
    private static let interval = Duration.seconds(1)

    let accounts: PostgresAccounts
    let readiness: Readiness
    let log: Logger
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        var wasThere = true
        while !Task.isCancelled {
            let isThere = await accounts.probe()
            readiness.set("accounts", isThere)
            if isThere != wasThere {
                if isThere {
                    log.notice("the database of the accounts answers again")
                } else {
                    log.warning("the database of the accounts does not answer")
                }
            }
            wasThere = isThere
            do { try await clock.sleep(for: Self.interval) } catch { return }
        }
    }
}
