import Cryptography
import MessageBus
import Observability
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Answers over HTTP")
struct HTTPAnswerTests {
    /// The answer to a request, with what the bus says to the message: a receipt, or an error.
    private func answer(
        _ participant: String = "anna", _ device: String = "phone", headers: [String: String] = ["authorization": "Bearer secret"],
        query: [String: String] = [:], body: String = "{}", bus: Result<[UInt8], BusError>? = nil
    ) async throws -> (status: Int, headers: [String: String], body: String) {
        let tokens = IngestTokens(entries: [
            .init(digest: SHA256.hex(of: "secret"), participant: "anna", device: "phone"),
            .init(digest: SHA256.hex(of: "any"), participant: "bernd", device: "*", secret: SHA256.hex(of: "hashed")),
        ])
        let reply = try bus ?? .success(Receipt(outcome: .stored, stored: 1).encoded())
        let ingest = HTTPIngest(tokens: { tokens }, metrics: HTTPIngestMetrics(MetricsRegistry())) { message throws(BusError) in
            IncomingMessage(topic: message.topic, payload: try reply.get())
        }
        let request = HTTPRequest(
            method: "POST", path: "/", query: query, headers: headers, body: Array(body.utf8),
            parameters: ["participant": participant, "device": device])
        let response = await ingest.routes[0].handler(request)
        guard case .bytes(let bytes) = response.body else { return (response.status, response.headers, "") }
        return (response.status, response.headers, String(decoding: bytes, as: UTF8.self))
    }

    @Test(
        "take the token from any of its places",
        arguments: [
            (["authorization": "Bearer secret"], [:], 200), (["authorization": "bearer secret"], [:], 200),
            (["authorization": "Basic secret"], [:], 401),
            (["authorization": "secret"], [:], 401), (["x-vigil-token": "secret"], [:], 200), (["api-secret": "secret"], [:], 200),
            ([:], ["token": "secret"], 200), ([:], [:], 401),
            (["authorization": "Bearer other"], ["token": "secret"], 401), (["x-vigil-token": "other"], ["token": "secret"], 401),
            (["authorization": "Basic x", "x-vigil-token": "secret"], [:], 200),
        ] as [([String: String], [String: String], Int)])
    func tokens(headers: [String: String], query: [String: String], status: Int) async throws {
        #expect(try await answer(headers: headers, query: query).status == status)
    }

    @Test("are awaited by so many requests of a device at once as it may have, counted anew with each that ends, and by each device's own")
    func inFlight() {
        let requests = RequestsInFlight(limit: 4)
        let phone = DeviceAddress(participant: "anna", device: "phone"), watch = DeviceAddress(participant: "anna", device: "watch")
        func begun(_ address: DeviceAddress) -> Int { (0..<6).count { _ in requests.begin(address) } }
        #expect(begun(phone) == 4 && begun(watch) == 4)
        for ended in [1, 3, 4, 2] {
            for _ in 0..<ended { requests.end(phone) }
            #expect(begun(phone) == ended && begun(watch) == 0)
        }
    }

    @Test(
        "forbid another's participant or device, and names that cannot be",
        arguments: [
            ("anna", "phone", "secret", 200), ("anna", "watch", "secret", 403), ("bernd", "phone", "secret", 403),
            ("bernd", "watch", "any", 200), ("bernd", "x", "hashed", 200),
            ("anna", "phone", "any", 403), ("bernd", "", "any", 403), ("bernd", "a/b", "any", 403), ("", "phone", "secret", 403),
        ])
    func rights(participant: String, device: String, token: String, status: Int) async throws {
        #expect(try await answer(participant, device, headers: ["x-vigil-token": token]).status == status)
    }

    @Test(
        "say by the status what became of the readings",
        arguments: [
            (Receipt(outcome: .stored, stored: 1), 200), (Receipt(outcome: .stored, duplicates: 1), 200),
            (Receipt(outcome: .stored, corrections: 1), 200),
            (Receipt(outcome: .rejected, rejected: 1), 422), (Receipt(outcome: .stored, stored: 1, rejected: 1), 200),
            (Receipt(outcome: .stored, duplicates: 1, rejected: 1), 200),
            (Receipt(outcome: .stored, corrections: 1, rejected: 1), 200), (Receipt(outcome: .stored), 200),
        ])
    func receipts(receipt: Receipt, status: Int) async throws {
        let encoded = try receipt.encoded()
        let answer = try await answer(bus: .success(encoded))
        #expect(answer.status == status && answer.body == String(decoding: encoded, as: UTF8.self))
    }

    @Test("say when to come again, and what to change")
    func refusals() async throws {
        let late = try await answer(bus: .failure(BusError(.timedOut, during: .request)))
        #expect(late.status == 504 && late.headers["Retry-After"] == "30" && late.headers["WWW-Authenticate"] == nil)
        let away = try await answer(bus: .failure(BusError(.connectionLost, during: .request)))
        #expect(away.status == 503 && away.headers["Retry-After"] == "30")
        #expect(try await answer(bus: .success(Array("x".utf8))).status == 503)
        let stranger = try await answer(headers: [:])
        #expect(stranger.headers["WWW-Authenticate"] == "Bearer" && stranger.headers["Retry-After"] == nil)
        #expect(stranger.body == #"{"error":"a token is needed: Authorization: Bearer TOKEN; vigil tokens add makes one"}"#)
        #expect(try await answer(body: "").status == 400)
        let own = ["authorization": "Bearer secret"]
        #expect(try await answer(headers: own.merging(["content-encoding": "gzip"]) { $1 }).status == 415)
        #expect(try await answer(headers: own.merging(["content-encoding": "Identity"]) { $1 }).status == 200)
        #expect(HTTPIngestRefusal.busy.response.status == 429 && HTTPIngestRefusal.busy.response.headers["Retry-After"] == "30")
        #expect(HTTPIngestRefusal.forbidden.response.headers["WWW-Authenticate"] == nil)
    }

    @Test("hand on a content type of 256 bytes at most")
    func contentTypes() async throws {
        for (count, isKept) in [(256, true), (257, false)] {
            let type = String(repeating: "t", count: count)
            let tokens = IngestTokens(entries: [.init(digest: SHA256.hex(of: "secret"), participant: "anna", device: "*")])
            let ingest = HTTPIngest(tokens: { tokens }, metrics: HTTPIngestMetrics(MetricsRegistry())) { message throws(BusError) in
                #expect(message.properties.contentType == (isKept ? type : nil) && message.topic == "vigil/v1/ingest/anna/phone")
                return IncomingMessage(topic: "t", payload: (try? Receipt(outcome: .stored, stored: 1).encoded()) ?? [])
            }
            let request = HTTPRequest(
                path: "/", headers: ["x-vigil-token": "secret", "content-type": type], body: [1],
                parameters: ["participant": "anna", "device": "phone"])
            #expect(await ingest.routes[1].handler(request).status == 200)
        }
    }

    private static let digest = String(repeating: "a", count: 64)

    @Test(
        "tokens stand in a file a line each",
        arguments: [
            ("", []), ("# c\n\n", []), ("\(digest) anna phone\n", ["anna phone"]),
            ("\t\(digest.uppercased())  anna\t*  # all\r\n", ["anna *"]),
            ("\(digest) anna phone \(digest)\n\(digest) bernd *", ["anna phone \(digest)", "bernd *"]),
        ] as [(String, [String])])
    func lines(text: String, expected: [String]) throws {
        let tokens = try IngestTokens(text: text)
        #expect(tokens.text == expected.map { "\(Self.digest) \($0)\n" }.joined())
        #expect(try IngestTokens(text: tokens.text) == tokens)
    }

    @Test(
        "of which every line must be right",
        arguments: [
            "\(digest) anna", "\(digest)", "\(digest) anna phone \(digest) x", "\(digest) anna phone x", "a\(digest) anna phone",
            "g\(digest.dropFirst()) anna phone",
            "\(digest.dropFirst()) anna phone", "\(digest) an/na phone", "\(digest) anna a/b", "\(digest) * phone",
            "\(digest) anna phone a\(digest)",
        ])
    func wrongLines(line: String) {
        let error = #expect(throws: IngestTokens.Malformed.self) { try IngestTokens(text: "# first\n\(line)", file: "f") }
        #expect(error?.description == "f:2: \"sha256 participant device\" is expected, the device * for any")
    }

    @Test("are known by the token, or by its SHA-1 as Nightscout's uploaders send it, and taken away by participant and device")
    func addAndRemove() throws {
        var tokens = IngestTokens()
        let token = tokens.add(participant: "anna", device: "phone")
        _ = tokens.add(participant: "anna", device: "watch")
        _ = tokens.add(participant: "bernd", device: "phone")
        #expect(tokens.entries(for: token).map(\.device) == ["phone"])
        let secret = try #require(SHA1.hex(Array(token.utf8)))
        #expect(tokens.entries(for: secret).map(\.device) == ["phone"])
        #expect(tokens.entries(for: "").isEmpty && tokens.entries(for: token + "x").isEmpty)
        #expect(tokens.remove(participant: "anna", device: "scale") == 0)
        #expect(tokens.entries.count == 3)
        #expect(tokens.remove(participant: "anna", device: "phone") == 1)
        #expect(tokens.entries.map(\.device) == ["watch", "phone"])
        _ = tokens.add(participant: "anna", device: "*")
        #expect(tokens.remove(participant: "anna", device: nil) == 2)
        #expect(tokens.entries.map(\.participant) == ["bernd"])
        for count in [1024, 1025] {
            let long = String(repeating: "x", count: count)
            let one = IngestTokens(entries: [.init(digest: SHA256.hex(of: long), participant: "a", device: "*")])
            #expect(one.entries(for: long).count == (count == 1024 ? 1 : 0))
        }
    }
}
