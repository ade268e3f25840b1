import Foundation
import HTTPClient
import Observability
import Settings

/// The requirements for a cluster's engines, checked at their own interfaces: NATS at its monitoring port, Patroni at
/// its REST interface.
///
/// The minimal versions are the first that lost nothing in measurements. Earlier ones lose acknowledged messages
/// without any fault, and acknowledged commits if a frozen leader continues.
struct ClusterCheck: Sendable {
    static let nats = Setting(
        "nats-monitor", .list(of: .text), default: [],
        help: "The monitoring addresses of a NATS cluster, each http://HOST:8222; checks version, replicas and lag.")
    static let patroni = Setting(
        "patroni", .list(of: .text), default: [],
        help: """
            The REST addresses of a Patroni cluster, each https://HOST:8008, trusted by --broker-ca-file; checks \
            version, synchronous mode and members.
            """
    )

    /// The number of copies in a cluster.
    static let replicas = 3
    /// The size of the bus's largest message in bytes, with room for a device's message.
    static let largestBatch = 512 << 10
    static let oldestNATS = EngineVersion(2, 10, 27)
    static let oldestPatroni = EngineVersion(3, 0, 3)

    private let client: HTTPClient

    /// - Parameter authorities: A file of trusted certificates instead of the system's.
    init(authorities: String? = nil) { client = HTTPClient(configuration: HTTPClientConfiguration(certificateAuthorities: authorities)) }

    /// Checks every named engine.
    func look(nats: [String], patroni: [String], into report: inout CheckReport) async {
        var streams = 0
        for address in nats { await report.run("NATS at \(Self.named(address))") { try await broker(address, &streams) } }
        if !nats.isEmpty, report.isWell, streams == 0 {
            await report.run("MQTT in NATS") {
                throw CommandError(.failure, "there are no streams of it yet: connect a client, and look again")
            }
        }
        for address in patroni { await report.run("Patroni at \(Self.named(address))") { try await database(address) } }
    }

    /// The host only, because an address may contain a password.
    private static func named(_ address: String) -> String { HTTPClient.host(of: address).printable }

    private func broker(_ address: String, _ streams: inout Int) async throws -> String {
        let server: NATSServer = try await ask(address, "/varz")
        try Self.demand(server.version, atLeast: Self.oldestNATS, "NATS", "it loses acknowledged messages in a cluster")
        guard server.mqtt?.port ?? 0 != 0 else { throw CommandError(.failure, "it takes no MQTT: set mqtt { port } in its configuration") }
        let largest = server.max_payload ?? 0
        guard largest >= Self.largestBatch else {
            throw CommandError(.failure, "it takes messages up to \(largest) bytes, less than a batch of the bus: set max_payload: 4MB")
        }
        let store: NATSStore = try await ask(address, "/jsz?accounts=1&streams=1&consumers=1&config=1")
        streams += try store.soundStreams(of: server.server_name)
        let health: NATSHealth = try await ask(address, "/healthz")
        guard health.status == "ok" else {
            let reason = (health.error ?? health.status).printable
            throw CommandError(.failure, "it has not caught up (\(reason)): where that lasts for minutes, start that server once more")
        }
        let leftovers = store.leftovers(of: server.server_name)
        guard leftovers.isEmpty else {
            let first = leftovers.prefix(3).map { "nats consumer rm '\($0.stream.printable)' \($0.consumer.printable)" }
            throw CommandError(
                .failure,
                "\(leftovers.count) of its consumers are left over from broken connections: nobody reads what they keep; "
                    + first.joined(separator: "; ") + (leftovers.count > 3 ? "; …" : ""))
        }
        let redelivery = server.mqtt?.ack_wait.map { ", delivered again after \($0 / 1_000_000_000) s" } ?? ""
        return """
            \(server.version.printable), messages of up to \(largest) bytes\(redelivery), MQTT's streams here have \(Self.replicas) copies each, \
            none behind
            """
    }

    private func database(_ address: String) async throws -> String {
        let node: PatroniNode = try await ask(address, "/patroni")
        try Self.demand(
            node.patroni.version, atLeast: Self.oldestPatroni, "Patroni",
            "a leader that was frozen takes the lead back, and commits are lost")
        let settings: PatroniSettings = try await ask(address, "/config")
        guard settings.synchronous_mode?.isOn == true else {
            throw CommandError(
                .failure, "synchronous_mode is off, so that a failover loses commits: patronictl edit-config -s synchronous_mode=true")
        }
        guard settings.synchronous_mode_strict == true else {
            throw CommandError(
                .failure, "a leader without a standby commits alone: patronictl edit-config -s synchronous_mode_strict=true")
        }
        let cluster: PatroniCluster = try await ask(address, "/cluster")
        return "\(node.patroni.version), synchronous and strict, \(try cluster.verdict())"
    }

    private static func demand(_ text: String, atLeast oldest: EngineVersion, _ engine: String, _ reason: String) throws {
        guard let version = EngineVersion(text) else { throw CommandError(.failure, "\(engine) does not say which version it is") }
        guard version >= oldest else {
            throw CommandError(.failure, "\(engine) \(version) is refused: before \(oldest) \(reason); use \(oldest) or newer")
        }
    }

    private func ask<Answer: Decodable>(_ address: String, _ path: String) async throws -> Answer {
        let base = address.hasSuffix("/") ? String(address.dropLast()) : address
        // Patroni answers 503 from a node that is no leader, NATS from one that is behind, with the same document.
        let answer = try await client.get(base + path, timeout: .seconds(10), limit: 16 << 20)
        guard let document = try? JSONDecoder().decode(Answer.self, from: Data(answer.body)) else {
            throw CommandError(.failure, "the answer to \(path) (status \(answer.status)) is not what is expected there")
        }
        return document
    }
}

/// A version in three numbers.
struct EngineVersion: Comparable, CustomStringConvertible {
    private let numbers: [Int]

    init(_ major: Int, _ minor: Int, _ patch: Int) { numbers = [major, minor, patch] }

    /// Parses `2.10.27`, `v2.11.0-RC.1` and the like; missing numbers are zero.
    init?(_ text: String) {
        let bare = text.hasPrefix("v") ? text.dropFirst() : Substring(text)
        let fields = bare.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }.split(separator: ".").prefix(3).compactMap { Int($0) }
        guard !fields.isEmpty else { return nil }
        numbers = fields + [Int](repeating: 0, count: 3 - fields.count)
    }

    static func < (left: EngineVersion, right: EngineVersion) -> Bool { left.numbers.lexicographicallyPrecedes(right.numbers) }

    var description: String { numbers.map(String.init).joined(separator: ".") }
}

/// A NATS server's description of itself.
private struct NATSServer: Decodable {
    struct MQTT: Decodable {
        var port: Int?
        /// Nanoseconds.
        var ack_wait: Int?
    }

    let version: String
    let server_name: String
    var mqtt: MQTT?
    var max_payload: Int?
}

/// Whether a NATS server's data are current.
private struct NATSHealth: Decodable {
    let status: String
    var error: String?
}

/// A Patroni node's description of itself.
private struct PatroniNode: Decodable {
    struct Program: Decodable { let version: String }

    let patroni: Program
}

/// The settings of a Patroni cluster that decide what a failover may lose.
private struct PatroniSettings: Decodable {
    /// `true`, or since Patroni 4 also `quorum`, as a text or a Boolean value.
    enum Mode: Decodable {
        case boolean(Bool)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let isOn = try? container.decode(Bool.self) {
                self = .boolean(isOn)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var isOn: Bool {
            switch self {
            case .boolean(let isOn): isOn
            case .text(let text): ["on", "true", "quorum"].contains(text.lowercased())
            }
        }
    }

    var synchronous_mode: Mode?
    var synchronous_mode_strict: Bool?
}

/// The members of a Patroni cluster.
private struct PatroniCluster: Decodable {
    struct Member: Decodable {
        let name: String
        let role: String
        let state: String
    }

    let members: [Member]

    func verdict() throws -> String {
        guard members.contains(where: { $0.role == "leader" && $0.state == "running" }) else {
            throw CommandError(.failure, "it has no leader: patronictl list says why")
        }
        guard members.contains(where: { ["sync_standby", "quorum_standby"].contains($0.role) }) else {
            throw CommandError(.failure, "no standby is synchronous, so that nothing can be committed: patronictl list")
        }
        let away = members.filter { !["running", "streaming"].contains($0.state) }
        guard away.isEmpty else {
            throw CommandError(
                .failure, away.map { "\($0.name.printable) is \($0.state.printable)" }.joined(separator: ", ") + ": see its log")
        }
        return "\(members.count) members"
    }
}
