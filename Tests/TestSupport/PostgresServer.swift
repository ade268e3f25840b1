import Foundation
import Synchronization

/// A real PostgreSQL server of a test process, on a free loopback port, in a temporary folder.
///
/// One server serves all tests of a process, because making one takes seconds; each test makes a database of its own in it. A test
/// that stops a server starts one for itself. The server of the process is stopped, and its folder removed, when the process ends.
package final class PostgresServer: Sendable {
    /// The reason why there is no server: then the test fails.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The port on 127.0.0.1.
    package let port: Int
    private let folder: String
    private let databases = Atomic<Int>(0)
    private let process = Mutex<ChildProcess?>(nil)

    private static let cached = Mutex<PostgresServer?>(nil)

    /// The server of this process, started when it is first asked for.
    package static func shared() throws -> PostgresServer {
        try cached.withLock { server in
            if let server { return server }
            let started = try PostgresServer()
            server = started
            atexit { PostgresServer.cached.withLock { $0?.remove() } }
            return started
        }
    }

    /// Makes a database cluster and starts its server.
    /// - Parameters:
    ///   - settings: lines for `postgresql.conf`.
    ///   - parent: the folder that its own is made in; the system's temporary one where it is nil.
    package init(settings: [String] = [], in parent: String? = nil) throws {
        let place = parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        folder = place.appending(path: "vigil-postgres-\(UUID().uuidString)").path
        port = Int(try LoopbackPort.free())
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // PostgreSQL refuses to run as root.
        if getuid() == 0 { try Self.run(["chown", "postgres", folder]) }
        do {
            try Self.runAsOwner([try Self.program("initdb"), "-D", data, "-U", "vigil", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"])
            let lines =
                ["listen_addresses = '127.0.0.1'", "port = \(port)", "unix_socket_directories = ''", "max_connections = 600"] + settings
            try Self.runAsOwner(["sh", "-c", "printf '%s\\n' \"$@\" >> '\(data)/postgresql.conf'", "sh"] + lines)
            try start()
        } catch {
            remove()
            throw error
        }
    }

    private var data: String { "\(folder)/data" }

    /// The folder of everything that the server keeps.
    package var dataFolder: String { data }

    /// Starts the server again, and returns when it takes connections.
    package func start() throws {
        let log = "\(folder)/log"
        let words = ["-C", "/"] + Self.owner(of: [try Self.program("postgres"), "-D", data])
        let child = try ChildProcess("/usr/bin/env", words, output: log)
        process.withLock { $0 = child }
        try awaitConnections(child, log: log)
    }

    private func awaitConnections(_ child: ChildProcess, log: String) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        let ready = [try Self.program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", "\(port)"]
        while (try? Self.run(ready)) == nil {
            guard !child.hasEnded, ContinuousClock.now < deadline else {
                let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                throw Failure(description: "PostgreSQL did not start: \(said)")
            }
            usleep(20_000)
        }
    }

    /// Stops the server as `pg_ctl stop -m immediate` does, and as a power cut would: connections break, the next start recovers from
    /// the log.
    package func stopImmediately() throws {
        let child = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let child else { return }
        child.signal(SIGQUIT)
        try child.waitBlocking(within: .seconds(120))
    }

    /// Indicates whether the server has not ended, by itself or otherwise.
    package var isRunning: Bool { process.withLock { $0.map { !$0.hasEnded } ?? false } }

    /// Sends the server and all its processes a signal: SIGSTOP lets it hang, SIGCONT lets it go on.
    package func signalAll(_ number: Int32) {
        guard let server = process.withLock({ $0?.processID }) else { return }
        let children = (try? String(contentsOfFile: "/proc/\(server)/task/\(server)/children", encoding: .utf8)) ?? ""
        for identifier in [server] + children.split(separator: " ").compactMap({ Int32($0) }) { kill(identifier, number) }
    }

    /// libpq's connection string for a fresh, empty database.
    package func makeDatabase() throws -> String {
        let name = "test_\(databases.add(1, ordering: .relaxed).newValue)"
        try Self.run([try Self.program("psql"), "-X", "-q", "-d", connection("postgres"), "-c", "CREATE DATABASE \(name)"])
        return connection(name)
    }

    /// Removes every database that was made, and writes down what is still to be written.
    package func settle() throws {
        for name in try psql("SELECT datname FROM pg_database WHERE datname LIKE 'test!_%' ESCAPE '!'", in: connection("postgres")).split(
            separator: "\n")
        {
            try psql("DROP DATABASE \(name) WITH (FORCE)", in: connection("postgres"))
        }
        try psql("CHECKPOINT", in: connection("postgres"))
    }

    /// Runs SQL by `psql` and gives what it prints, unaligned, tuples only.
    @discardableResult
    package func psql(_ sql: String, in connection: String) throws -> String { try Self.psql(sql, in: connection) }

    /// The same on any server.
    @discardableResult
    package static func psql(_ sql: String, in connection: String, within limit: Duration = .seconds(120)) throws -> String {
        try run([try program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", connection, "-c", sql], within: limit)
    }

    /// Stops the server and removes its folder.
    package func remove() {
        try? stopImmediately()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func connection(_ database: String) -> String { "host=127.0.0.1 port=\(port) user=vigil dbname=\(database)" }

    /// The newest of Debian's installed versions, or what is on the path.
    private static func program(_ name: String) throws -> String {
        let base = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []).compactMap(Int.init).sorted(by: >)
        let places = versions.map { "\(base)/\($0)/bin/\(name)" } + ["/usr/local/bin/\(name)", "/usr/bin/\(name)"]
        guard let place = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Failure(description: "\(name) is not installed: apt-get install postgresql")
        }
        return place
    }

    private static func runAsOwner(_ command: [String]) throws { try run(owner(of: command)) }

    /// The command as the user that may run the server.
    private static func owner(of command: [String]) -> [String] {
        (getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : []) + command
    }

    /// Runs a program to its end, and gives what it printed.
    @discardableResult
    private static func run(_ command: [String], within limit: Duration = .seconds(120)) throws -> String {
        do {
            return try ChildProcess.runBlocking(["-C", "/"] + command, within: limit).trimmingCharacters(in: .newlines)
        } catch let error as ChildProcess.Failure {
            throw Failure(description: error.description)
        }
    }
}
