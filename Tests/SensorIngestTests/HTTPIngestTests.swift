import Cryptography
import Foundation
import HTTPClient
import MessageBus
import Observability
import SensorIngest
import TestSupport
import Testing
import VigilSchema

/// Phones and web hooks, over HTTP, through a real broker, ingest and a timeline.
@Suite("Ingest over HTTP", .timeLimit(.minutes(4)))
struct HTTPIngestTests {
    private static let phone =
        #"{"data":{"metrics":[{"name":"weight_body_mass","units":"kg","data":[{"qty":72.4,"date":"2026-01-31 12:00:00 +0100"}]}]}}"#

    /// Runs a body with the address of a server whose tokens stand in a file.
    private func serving(
        within: Duration = .seconds(30), ingests: Bool = true, tls: HTTPServer.TLS? = nil,
        _ body: @escaping @Sendable (String, IngestRig, String) async throws -> Void
    ) async throws {
        let rig = try await IngestRig(mappings: try MappingFile.load([MappingTests.shipped]))
        let file = rig.folder.path("tokens")
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        let tokens = try TokenFile(path: file)
        let requester = Requester(broker: rig.server.configuration(clientID: "http"), responsePrefix: "vigil/v1/responses/ingest/main-http")
        let ingest = HTTPIngest(tokens: { await tokens.current }, metrics: HTTPIngestMetrics(MetricsRegistry())) {
            message throws(BusError) in
            try await requester.request(timeout: within) { _ in message }
        }
        let server = HTTPServer(
            host: "127.0.0.1", port: 0, routes: ingest.routes, limits: .init(connections: 8, streams: 0, body: 4096), tls: tls)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { try await requester.run() }
            tasks.addTask { try await server.run() }
            await server.started()
            let address = "\(tls == nil ? "http" : "https")://127.0.0.1:\(server.port ?? 0)/ingest/"
            if ingests {
                try await rig.run { try await body(address, rig, file) }
            } else {
                try await body(address, rig, file)
            }
        }
    }

    private func post(_ url: String, _ body: String, _ token: String?, type: String = "application/json") async throws -> (Int, String) {
        let headers = token.map { [HTTPHeader("Authorization", "Bearer \($0)")] } ?? []
        let answer = try await HTTPClient().post(url, body: Array(body.utf8), contentType: type, headers: headers, timeout: .seconds(60))
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    @Test("answers with the receipt after the commit, by mappings and formats alike, and tells what it refuses")
    func stored() async throws {
        try await serving { address, rig, file in
            var tokens = IngestTokens()
            let token = tokens.add(participant: "anna", device: "phone")
            let any = tokens.add(participant: "bernd", device: "*")
            try tokens.text.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try !String(contentsOfFile: file, encoding: .utf8).contains(token))

            let first = try await post(address + "anna/phone", Self.phone, token)
            #expect(first.0 == 200 && first.1.contains(#""stored":1"#), "\(first)")
            #expect(try await rig.rows("anna", "body-weight") == 1)
            let again = try await post(address + "anna/phone/api/v1/entries", Self.phone, token)
            #expect(again.0 == 200, "\(again)")
            #expect(try await rig.rows("anna", "body-weight") == 1)
            let native = try await post(address + "bernd/watch", #"{"metric":"heart-rate","time":1769857200,"value":61}"#, any)
            #expect(native.0 == 200, "\(native)")
            let strange = try await post(address + "bernd/watch", #"{"metric":"heart-rate","time":1769857200,"value":6100}"#, any)
            #expect(strange.0 == 422 && strange.1.contains("outside"), "\(strange)")
            let token64 = try await HTTPClient().post(
                address + "anna/phone?token=\(token)", body: Array(Self.phone.utf8), contentType: "application/json", timeout: .seconds(60))
            #expect(token64.status == 200)
        }
    }

    @Test("takes a Nightscout uploader's secret, which comes as its SHA-1, from lines with it, and from older ones as before")
    func uploader() throws {
        var tokens = IngestTokens()
        let token = tokens.add(participant: "anna", device: "xdrip")
        let sent = try #require(SHA1.hex(Array(token.utf8)))
        #expect(SHA1.hex(Array("abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        let kept = try IngestTokens(text: tokens.text)
        #expect(kept == tokens && !tokens.text.contains(token) && !tokens.text.contains(sent))
        #expect(kept.entries(for: token).count == 1 && kept.entries(for: sent).count == 1)
        #expect(kept.entries(for: try #require(SHA1.hex(Array(sent.utf8)))).isEmpty)
        let older = try IngestTokens(text: tokens.text.split(separator: " ").prefix(3).joined(separator: " "))
        #expect(older.entries(for: token).count == 1 && older.entries(for: sent).isEmpty)
        #expect(throws: IngestTokens.Malformed.self) { try IngestTokens(text: tokens.text.replacing("\n", with: "x\n")) }
    }

    @Test("lets nobody in without a token for that very device, nor with one that was taken away, and bounds what is sent")
    func refused() async throws {
        try await serving { address, rig, file in
            var tokens = IngestTokens()
            let token = tokens.add(participant: "anna", device: "phone")
            try tokens.text.write(toFile: file, atomically: true, encoding: .utf8)
            for (path, given, status) in [
                ("anna/phone", nil, 401), ("anna/phone", "x", 401), ("anna/phone", "", 401), ("anna/watch", token, 403),
                ("bernd/phone", token, 403),
                ("anna/%23", token, 403), ("anna/pho%00ne", token, 403),
            ] as [(String, String?, Int)] {
                let answer = try await post(address + path, Self.phone, given)
                #expect(answer.0 == status || answer.0 == 404, "\(path): \(answer)")
            }
            #expect(try await post(address + "anna/phone", "", token).0 == 400)
            #expect(try await post(address + "anna/phone", String(repeating: " ", count: 5000), token).0 == 413)
            #expect(try await HTTPClient().get(address + "anna/phone").status == 405)
            #expect(tokens.remove(participant: "anna", device: nil) == 1)
            try (tokens.text + "# none\n").write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try await post(address + "anna/phone", Self.phone, token).0 == 401)
            #expect(try await rig.rows("anna", "body-weight") == 0)
        }
    }

    @Test("speaks TLS with its certificate, which clients can check, and nothing in the clear on that port")
    func overTLS() async throws {
        let certificates = try await TestCertificates()
        let tls = HTTPServer.TLS(
            certificate: try String(contentsOfFile: certificates.serverCertificate, encoding: .utf8),
            key: try String(contentsOfFile: certificates.serverKey, encoding: .utf8))
        try await serving(tls: tls) { address, rig, file in
            var tokens = IngestTokens()
            let token = tokens.add(participant: "anna", device: "phone")
            try tokens.text.write(toFile: file, atomically: true, encoding: .utf8)
            func post(_ url: String, trusting authority: String?) async throws -> Int {
                let client = HTTPClient(configuration: HTTPClientConfiguration(certificateAuthorities: authority))
                return try await client.post(
                    url, body: Array(Self.phone.utf8), contentType: "application/json",
                    headers: [HTTPHeader("Authorization", "Bearer \(token)")], timeout: .seconds(60)
                ).status
            }
            #expect(try await post(address + "anna/phone", trusting: certificates.authority) == 200)
            #expect(try await rig.rows("anna", "body-weight") == 1)
            await #expect(throws: TransferError.self) { try await post(address + "anna/phone", trusting: certificates.strangeAuthority) }
            let clear = address.replacing("https", with: "http") + "anna/phone"
            let answer = try? await post(clear, trusting: nil)
            #expect(answer != 200)
        }
    }

    @Test("says that nothing is confirmed where nobody commits, and that it may be sent again")
    func unconfirmed() async throws {
        try await serving(within: .milliseconds(500), ingests: false) { address, _, file in
            var tokens = IngestTokens()
            let token = tokens.add(participant: "anna", device: "phone")
            try tokens.text.write(toFile: file, atomically: true, encoding: .utf8)
            let answer = try await post(address + "anna/phone", Self.phone, token)
            #expect(answer.0 == 504 && answer.1.contains("not confirmed"), "\(answer)")
        }
    }

    @Test("lets one device's waiting requests take nobody else's place")
    func busy() async throws {
        try await serving(within: .seconds(12), ingests: false) { address, _, file in
            var tokens = IngestTokens()
            let (phone, watch) = (tokens.add(participant: "anna", device: "phone"), tokens.add(participant: "bernd", device: "watch"))
            try tokens.text.write(toFile: file, atomically: true, encoding: .utf8)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<6 { tasks.addTask { try await post(address + "anna/phone", Self.phone, phone).0 } }
                tasks.addTask { try await post(address + "bernd/watch", Self.phone, watch).0 }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            // Nobody commits here: who is let wait waits in vain, who is not is told at once.
            #expect(statuses.count { $0 == 504 } == 5 && statuses.count { $0 == 429 } == 2, "\(statuses)")
        }
    }

    @Test("never starts with half a file of tokens, and takes none while it has a mistake")
    func mistakes() async throws {
        for text in [
            "abc anna phone", String(repeating: "g", count: 64) + " anna phone", String(repeating: "a", count: 64) + " an/na *", "a b",
        ] {
            #expect(throws: IngestTokens.Malformed.self) { try IngestTokens(text: "# people\n\n" + text, file: "t") }
        }
        let folder = try TemporaryFolder("tokens")
        var tokens = IngestTokens()
        let token = tokens.add(participant: "anna", device: "*")
        try tokens.text.write(toFile: folder.path("t"), atomically: true, encoding: .utf8)
        let file = try TokenFile(path: folder.path("t"))
        #expect(await file.current.entries(for: token).count == 1)
        try "nonsense".write(toFile: folder.path("t"), atomically: true, encoding: .utf8)
        #expect(await file.current.entries(for: token).isEmpty)
        try FileManager.default.removeItem(atPath: folder.path("t"))
        #expect(await file.current.entries(for: token).isEmpty)
    }
}
