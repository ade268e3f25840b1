import Foundation
import Synchronization

/// A real PostgreSQL server of a test process, on a free loopback port, in a temporary folder.
///
/// One server serves all tests of a process, because making one takes seconds; each test makes a database of its own in it. A test
/// that stops a server starts one for itself. The server of the process is stopped, and its folder removed, when the process ends.
package final class PostgresServer: Sendable {
    /// Why there is no server: then the test fails.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The port on 127.0.0.1.
    package let port: Int
    private let folder: String
    private let databases = Atomic<Int>(0)
    private let process = Mutex<Process?>(nil)

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
        port = try Self.freePort()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // PostgreSQL refuses to run as root.
        if getuid() == 0 { try Self.run(["chown", "postgres", folder]) }
        do {
            try Self.runAsOwner([try Self.program("initdb"), "-D", data, "-U", "vigil", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"])
            let lines =
                ["listen_addresses = '127.0.0.1'", "port = \(port)", "unix_socket_directories = ''", "max_connections = 200"] + settings
            try Self.runAsOwner(["sh", "-c", "printf '%s\\n' \"$@\" >> '\(data)/postgresql.conf'", "sh"] + lines)
            try start()
        } catch {
            remove()
            throw error
        }
    }

    private var data: String { "\(folder)/data" }

    /// Starts the server again, and returns when it takes connections.
    ///
    /// As a child, not by `pg_ctl start`: Foundation's `Process` waits for everything that inherited from the program it started.
    package func start() throws {
        let owner = Self.owner(of: [try Self.program("postgres"), "-D", data])
        let child = Process()
        child.executableURL = URL(filePath: "/usr/bin/env")
        child.arguments = owner
        child.currentDirectoryURL = URL(filePath: "/")
        let log = "\(folder)/log"
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let output = try FileHandle(forWritingTo: URL(filePath: log))
        child.standardOutput = output
        child.standardError = output
        try child.run()
        OrphanGuard.watch(child.processIdentifier)
        process.withLock { $0 = child }
        try awaitConnections(child, log: log)
    }

    private func awaitConnections(_ child: Process, log: String) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        let ready = [try Self.program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", "\(port)"]
        while (try? Self.run(ready)) == nil {
            guard child.isRunning, ContinuousClock.now < deadline else {
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
        kill(child.processIdentifier, SIGQUIT)
        child.waitUntilExit()
    }

    /// Indicates whether the server has not ended, by itself or otherwise.
    package var isRunning: Bool { process.withLock { $0?.isRunning ?? false } }

    /// Sends the server and all its processes a signal: SIGSTOP lets it hang, SIGCONT lets it go on.
    package func signalAll(_ number: Int32) {
        guard let server = process.withLock({ $0?.processIdentifier }) else { return }
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
    package static func psql(_ sql: String, in connection: String) throws -> String {
        try run([try program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", connection, "-c", sql])
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
    private static func run(_ command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(filePath: "/")
        // A file, not a pipe: a pipe that nobody empties while the program runs would stop it.
        let printed = FileManager.default.temporaryDirectory.appending(path: "vigil-printed-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: printed.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: printed) }
        let output = try FileHandle(forWritingTo: printed)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        let text = (try? String(contentsOf: printed, encoding: .utf8)) ?? ""
        guard process.terminationStatus == 0 else { throw Failure(description: "\(command.joined(separator: " ")): \(text)") }
        return text.trimmingCharacters(in: .newlines)
    }

    /// A port that nobody listens on at this moment.
    private static func freePort() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failure(description: "no socket") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard bound else { throw Failure(description: "no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
