import Cryptography
import Foundation
import HTTPClient
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("Web Push", .timeLimit(.minutes(3)))
struct WebPushTests {
    @Test("encrypts as RFC 8291 does in its appendix A, to the byte")
    func published() throws {
        let subscription = try WebPushSubscription.list(
            Data(
                #"""
                {"endpoint": "https://push.example.net/push/x", "keys": {"auth": "BTBZMqHH6r4Tts7J_aSIgg",
                 "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}
                """#.utf8)
        ).first
        let key = try EllipticKey(secret: #require(Base64URL.decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")))
        #expect(
            Base64URL.encode(key.publicKey) == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        let sealed = try WebPushMessage.encrypt(
            Array("When I grow up, I want to be a watermelon".utf8), for: #require(subscription), key: key,
            salt: #require(Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw")))
        #expect(
            Base64URL.encode(sealed)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
                + "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
        let other = try EllipticKey(secret: #require(Base64URL.decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")))
        #expect(try other.sharedSecret(with: key.publicKey) == key.sharedSecret(with: other.publicKey))
    }

    @Test("refuses keys that are none")
    func wrongKeys() throws {
        #expect(throws: EllipticKeyError.secret) { try EllipticKey(secret: Array(repeating: 0, count: 32)) }
        #expect(throws: EllipticKeyError.secret) { try EllipticKey(secret: Array(repeating: 255, count: 32)) }
        #expect(throws: EllipticKeyError.secret) { try EllipticKey(secret: [1]) }
        let key = try EllipticKey()
        // A point beside the curve would give the secret away.
        var beside = key.publicKey
        beside[64] ^= 1
        #expect(throws: EllipticKeyError.publicKey) { try key.sharedSecret(with: beside) }
        #expect(throws: (any Error).self) {
            try WebPushSubscription.list(Data(#"{"endpoint": "https://x", "keys": {"p256dh": "AA", "auth": "AA"}}"#.utf8))
        }
    }

    private static func channel(_ folder: TemporaryFolder, _ subscriptions: String) throws -> WebPushChannel {
        try folder.write(subscriptions, to: "subscriptions.json")
        return WebPushChannel(
            identity: WebPushIdentity(key: try EllipticKey(), contact: "mailto:vigil@example.org"),
            subscriptionFile: folder.path("subscriptions.json"), reader: NotificationReader(), client: HTTPClient(), timeout: .seconds(5))
    }

    private static func subscription(_ server: PythonServer, _ keys: String, _ path: String) -> String {
        "{\"endpoint\": \"http://127.0.0.1:\(server.port)/\(path)\", " + keys.dropFirst()
    }

    /// Whether Python has what the push service is made of.
    private static let hasPeer: Bool = {
        let program = Process()
        (program.executableURL, program.arguments) = (URL(filePath: "/usr/bin/env"), ["python3", "-c", "import cryptography"])
        program.standardError = FileHandle.nullDevice
        guard (try? program.run()) != nil else { return false }
        program.waitUntilExit()
        return program.terminationStatus == 0
    }()

    @Test(
        "reaches a browser behind a push service that was written from the RFCs, whatever the message's length",
        .enabled(if: hasPeer, "python3-cryptography is missing"))
    func delivery() async throws {
        let (server, folder) = (try await PythonServer(script: PushServerScript.text), try TemporaryFolder("push"))
        let keys = try #require(await server.nextLine())
        let channel = try Self.channel(folder, Self.subscription(server, keys, "a"))
        for text in ["M", String(repeating: "Ж\"\\", count: 5000)] {
            try await channel.send(ServiceChannelTests.notification { $0.message["en"] = text })
            let line = try ServiceChannelTests.request(await server.nextLine())
            let content = try #require(line["content"] as? [String: Any])
            #expect(line["urgency"] as? String == "high" && content["tag"] as? String == "participant=anna")
            #expect(content["title"] as? String == "[CRITICAL] anna: T" && content["url"] as? String == "https://v.example/answer.html#0")
        }
    }

    @Test(
        "reaches the browsers that are left, tries again only who may come back, and says when nobody is reached",
        .enabled(if: hasPeer, "python3-cryptography is missing"))
    func partly() async throws {
        let (server, folder) = (try await PythonServer(script: PushServerScript.text), try TemporaryFolder("push"))
        let keys = try #require(await server.nextLine())
        func list(_ paths: String...) -> String { "[" + paths.map { Self.subscription(server, keys, $0) }.joined(separator: ",") + "]" }
        let channel = try Self.channel(folder, list("a", "gone/b", "busy/c"))
        let refused = try await channel.deliver(ServiceChannelTests.notification())
        #expect(refused.map(\.isTemporary) == [false, true])
        try folder.write(list("a", "c"), to: "subscriptions.json")
        #expect(try await channel.deliver(ServiceChannelTests.notification()).isEmpty)
        // The first browser has it once, the third at the second attempt.
        var lines = 0
        while await server.nextLine(within: .milliseconds(500)) != nil { lines += 1 }
        #expect(lines == 2)
        let nobody = try await #require(throws: ChannelError.self) {
            try await Self.channel(folder, list("gone/b")).send(ServiceChannelTests.notification("test"))
        }
        #expect(nobody.isLasting)
        let busy = try await #require(throws: ChannelError.self) {
            try await Self.channel(folder, list("busy/b")).send(ServiceChannelTests.notification("test"))
        }
        #expect(!busy.isLasting && busy.pause == .seconds(9))
    }

    @Test(
        "serves browsers at once, leaves a service alone that asks for it, and lets an alarm that is not stored yet replace none",
        .enabled(if: hasPeer, "python3-cryptography is missing"))
    func independent() async throws {
        let (server, folder) = (try await PythonServer(script: PushServerScript.text), try TemporaryFolder("push"))
        let keys = try #require(await server.nextLine())
        func list(_ paths: String...) -> String { "[" + paths.map { Self.subscription(server, keys, $0) }.joined(separator: ",") + "]" }
        // Each is answered once the other is there.
        #expect(try await Self.channel(folder, list("pair/a", "pair/b")).deliver(ServiceChannelTests.notification()).isEmpty)
        for _ in 0..<2 { _ = await server.nextLine() }
        let channel = try Self.channel(folder, list("a"))
        var marks: [[String?]] = []
        for (rule, isStored) in [("fast", false), ("slow", false), ("fast", true), ("slow", true)] {
            var notification = ServiceChannelTests.notification { ($0.rule, $0.unconfirmed) = (rule, isStored ? nil : true) }
            if !isStored { notification.id = "phone/unconfirmed/anna/\(rule)/1" }
            try await channel.send(notification)
            let line = try ServiceChannelTests.request(await server.nextLine())
            marks.append([line["topic"] as? String, (line["content"] as? [String: Any])?["tag"] as? String])
        }
        #expect(Set(marks).count == 3 && marks[2] == marks[3])
        let busy = try Self.channel(folder, list("busy/a"))
        let errors = try await [busy.failure(), busy.failure()]
        #expect(errors.map(\.isPostponed) == [false, true] && errors.allSatisfy { ($0.pause ?? .zero) <= .seconds(9) })
        try folder.write(list("a"), to: "subscriptions.json")
        try await busy.send(ServiceChannelTests.notification())
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let pipe = WebPushChannel(
            identity: nil, subscriptionFile: folder.path("pipe"), reader: NotificationReader(), client: HTTPClient(), timeout: .seconds(5))
        #expect(try await pipe.failure().isLasting)
    }
}

extension WebPushChannel {
    fileprivate func failure() async throws -> ChannelError {
        try await #require(throws: ChannelError.self) { try await send(ServiceChannelTests.notification()) }
    }
}
