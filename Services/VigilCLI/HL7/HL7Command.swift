import CSVImport
import Dispatch
import Glibc
import MessageBus
import Observability
import ServiceKit
import Settings
import Synchronization
import VigilSchema

/// `vigil hl7`: takes results from a hospital's interface engine and hands them to `vigil-ingest`.
enum HL7Command {
    private static let port = Setting(
        "port", .port, default: 2575, help: "The port that takes messages over MLLP.")
    private static let host = Setting(
        "host", .text, default: "127.0.0.1",
        help: "The IPv4 address of that port. MLLP is not encrypted: a tunnel belongs before any other."
    )
    private static let zone = Setting.optional(
        "zone",
        .text(accepts: "a name such as Europe/Berlin", placeholder: "ZONE") {
            WearerZone($0) != nil
        },
        help: "The time zone of messages whose times name none; without it such results are refused.")
    private static let device = Setting(
        "device", .name, default: "hl7", help: "The device's name for the results.")

    static let command = Command(
        name: "hl7", summary: "takes HL7 version 2 results (ORU^R01) over MLLP, until it is ended",
        details: """
            PID-3 is the participant. Results with known LOINC, SNOMED CT or MDC codes go to vigil-ingest as a device's readings would. \
            Answers: AA once the broker has all of a message; AE names the segments that were not taken or cannot be stored; \
            AR: another type of message, or one that is too long. \
            While the broker is away nothing is answered, so that the sender keeps the message.
            """,
        settings: [port, host, zone, device] + BrokerSession.settings
    ) { invocation in
        let zone = try invocation[zone]
        let listener = try MLLPListener(host: try invocation[host], port: try invocation[port])
        let (session, device) = (try BrokerSession(invocation, command: "hl7"), try invocation[device])
        print("taking HL7 messages on port \(listener.port)")
        _ = try await Interruption.stoppable {
            try await session.publishing { publisher in
                try await listener.serve { frame in await answer(frame, zone, device, publisher) }
            }
        }
    }

    /// The answer to a message; nil: none, because it could not be handed on.
    static func answer(
        _ frame: [UInt8], _ zone: String?, _ device: String, _ publisher: any MessagePublisher
    ) async -> [UInt8]? {
        // Its header says whom to answer; without an answer the sender would repeat it for ever.
        guard frame.count <= HL7Message.largest else {
            let head = HL7Message(Array(frame.prefix { $0 != 0x0D && $0 != 0x0A }.prefix(4096))) ?? .unknown
            return head.answer("AR", ["a message has \(HL7Message.largest) bytes at most"], at: .now)
        }
        guard let message = HL7Message(frame) else {
            return HL7Message.unknown.answer("AR", ["this is no HL7 message that begins with MSH"], at: .now)
        }
        guard message.type == "ORU^R01" else {
            return message.answer("AR", ["only ORU^R01 is taken"], at: .now)
        }
        let results = HL7Results(message, zone: zone)
        for (participant, readings) in results.readings.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: readings.count, by: 500) {
                let part = Array(readings[start..<min(start + 500, readings.count)])
                do {
                    try await publisher.publish(
                        OutgoingMessage(
                            topic: Topic.ingest(participant: participant, device: device).path,
                            payload: BatchEncoder.encode(part),
                            properties: MessageProperties(contentType: MediaType.json)))
                } catch { return nil }
            }
        }
        return message.answer(results.problems.isEmpty ? "AA" : "AE", results.problems, at: .now)
    }
}

/// Takes connections and cuts what they send into messages. Threading: `serve` once.
final class MLLPListener: Sendable {
    private static let mostConnections = 32
    /// A connection that sends nothing for so many seconds is closed.
    private static let idle = 600

    private let descriptor: Int32
    /// The open sockets with the time at which each last sent something.
    private let connections = Mutex<[Int32: ContinuousClock.Instant]>([:])
    let port: UInt16
    /// Waits for sockets, so that no thread of the tasks does.
    private let queue = DispatchQueue(label: "vigil.hl7", attributes: .concurrent)

    /// Listens.
    /// - Parameter port: 0 lets the system choose one.
    init(host: String, port: Int) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var (address, yes, length) = (
            sockaddr_in(), Int32(1), socklen_t(MemoryLayout<sockaddr_in>.size)
        )
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            throw CommandError(.usage, "--host is no IPv4 address")
        }
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(socket, generic, length) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, generic, &length) == 0
            }
        }
        guard isBound else {
            throw CommandError(
                .unavailable, "port \(port) cannot be listened on: \(String(cString: strerror(errno)))")
        }
        (descriptor, self.port) = (socket, UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// Answers messages until it is cancelled.
    /// - Parameter answer: gives the answer to a message; nil ends the connection.
    func serve(_ answer: @escaping @Sendable ([UInt8]) async -> [UInt8]?) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                guard await ready(descriptor, POLLIN, seconds: nil) else { break }
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { continue }
                guard makesRoom(for: peer) else {
                    close(peer)
                    continue
                }
                group.addTask {
                    await self.talk(peer, answer)
                    self.connections.withLock { _ = $0.removeValue(forKey: peer) }
                    close(peer)
                }
            }
        }
    }

    /// Ends the connection that has been silent for longest where there are too many, so that idle ones shut nobody out.
    /// - Returns: whether there is room for another while that one ends.
    private func makesRoom(for peer: Int32) -> Bool {
        connections.withLock { connections in
            guard connections.count < 2 * Self.mostConnections else { return false }
            if connections.count >= Self.mostConnections, let idlest = connections.min(by: { $0.value < $1.value })?.key {
                shutdown(idlest, Int32(SHUT_RDWR))
                // Not chosen again while its task ends.
                connections[idlest] = .now
            }
            connections[peer] = .now
            return true
        }
    }

    private func talk(_ peer: Int32, _ answer: ([UInt8]) async -> [UInt8]?) async {
        var decoder = MLLPDecoder()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while await ready(peer, POLLIN, seconds: Self.idle) {
            let count = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return }
            connections.withLock { $0[peer] = .now }
            for message in decoder.take(buffer[..<count]) {
                guard let reply = await answer(message), await send(MLLPDecoder.frame(reply), to: peer)
                else { return }
            }
        }
    }

    private func send(_ bytes: [UInt8], to peer: Int32) async -> Bool {
        var sent = 0
        while sent < bytes.count {
            guard await ready(peer, POLLOUT, seconds: 10) else { return false }
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(peer, $0.baseAddress, $0.count, flags)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Waits until the socket can be used; false once the time is over or the task is cancelled.
    private func ready(_ socket: Int32, _ events: Int32, seconds: Int?) async -> Bool {
        let end = seconds.map { ContinuousClock.now + .seconds($0) }
        while !Task.isCancelled, end.map({ .now < $0 }) ?? true {
            let isReady = await withCheckedContinuation { continuation in
                queue.async {
                    var waiting = pollfd(fd: socket, events: Int16(events), revents: 0)
                    continuation.resume(returning: poll(&waiting, 1, 200) > 0)
                }
            }
            if isReady { return true }
        }
        return false
    }
}
