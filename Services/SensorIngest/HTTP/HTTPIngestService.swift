import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import VigilSchema

/// The settings of ingest over HTTP, and its parts of a running service.
enum HTTPIngestService {
    static let port = Setting(
        "ingest-http-port", .port, default: 0,
        help: "The port for readings over HTTP (POST /ingest/PARTICIPANT/DEVICE); 0: none.")
    static let host = Setting("ingest-http-host", .text, default: "127.0.0.1", help: "The address of that port.")
    static let tokens = Setting.optional(
        "ingest-http-tokens", .path, help: "The file of its tokens, made by vigil tokens; read again when it changes.")
    static let certificate = Setting.optional(
        "ingest-http-certificate-file", .path, help: "PEM file of its certificate chain; with --ingest-http-key-file it serves TLS.")
    static let key = Setting.optional("ingest-http-key-file", .path, help: "PEM file of the certificate's key.")
    static let within = Setting(
        "ingest-http-within", .duration(in: .seconds(1) ... .seconds(300)), default: .seconds(30),
        help: "How long a request may wait for its confirmation before the answer 504.")

    static let settings: [any AnySetting] = [port, host, tokens, certificate, key, within]

    /// None where no port is given.
    static func members(_ context: ServiceContext) throws -> [ServiceGroup.Member] {
        let port = try context[port]
        guard port != 0 else { return [] }
        let host = try context[host]
        let tls = try context.tls(on: Self.host, certificate: certificate, key: key)
        guard let path = try context[tokens] else {
            throw CommandError(.configuration, "--ingest-http-port needs --ingest-http-tokens; vigil tokens add makes the file")
        }
        let log = context.logger
        let file: TokenFile
        do {
            file = try TokenFile(path: path) { log.error("no token is taken until the file is mended", ["error": $0]) }
        } catch {
            throw CommandError(.configuration, "--ingest-http-tokens \(path): \(Command.text(of: error)); vigil tokens add makes the file")
        }
        let requester = try requester(context)
        let within = try context[within]
        let ingest = HTTPIngest(tokens: { await file.current }, metrics: HTTPIngestMetrics(context.metrics)) { message throws(BusError) in
            try await requester.request(timeout: within) { _ in message }
        }
        let server = HTTPServer(
            host: host, port: port, routes: ingest.routes,
            limits: .init(connections: 64, streams: 0, body: try context[SensorIngestService.maximumPayload], idleSeconds: 60), tls: tls)
        return [
            ServiceGroup.Member("http-requester", draining: .request { requester.drain() }) { try await requester.run() },
            ServiceGroup.Member("http-ingest", server, draining: .cancel, started: { await server.started() }),
        ]
    }

    private static func requester(_ context: ServiceContext) throws -> Requester {
        let broker = try context.broker(part: "http")
        let log = context.logger.with(["connection": "http"])
        return Requester(
            broker: broker, responsePrefix: "\(Topic.prefix)responses/\(broker.username ?? "ingest")/\(context.instance)-http",
            onEvent: { event in
                if case .disconnected(let error) = event { log.warning("disconnected from the broker", ["error": error.description]) }
            })
    }
}
