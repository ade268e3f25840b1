import Foundation
import MessageBus
import Settings
import VigilSchema

/// The sessions that the broker keeps for clients that are away, with the messages that wait for them.
///
/// Nobody but the client can take a message out of its session, and MQTT has no way to look into one. It ends when the client comes with a clean
/// one, which is also how it is ended here, or by itself after the time that `deploy/mosquitto/mosquitto.conf` sets for all.
struct AbsentSessions: Sendable {
    /// The longest that the shipped configuration keeps a session: `persistent_client_expiration`.
    static let longest = "7 days"
    /// The broker's own count, renewed every ten seconds.
    private static let topic = "$SYS/broker/clients/disconnected"

    let session: BrokerSession

    /// Ends a client's session, with everything that waits in it.
    func end(_ client: String) async throws { try await session.taking(over: client) }

    /// The line that tells of them.
    func told() async throws -> String {
        let away =
            switch try await count() {
            case nil: "how many clients are away the broker does not tell this account"
            case let count? where count <= 0: "the broker counted no clients that are away, which may be one too few"
            case 1: "1 client is away"
            case let count?: "\(count) clients are away"
            }
        return """
            \(away): what waits for them at the broker stays until they come or their sessions end, \(Self.longest) at most \
            with the shipped configuration (persistent_client_expiration); --end-sessions ends them at once
            """
    }

    /// The number of clients that are away, of up to ten seconds ago; nil where the broker does not tell. Mosquitto takes it for the known clients less
    /// the open connections, so that one which was just connecting makes it one too small.
    private func count() async throws -> Int? {
        let mark = "\(Topic.prefix)receipts/vigil-erase/mark-\(UInt32.random(in: 0...UInt32.max))"
        let tell: @Sendable () async throws -> Void = {
            try await session.publishing { try await $0.publish(OutgoingMessage(topic: mark, payload: [1])) }
        }
        do {
            return try await session.receiving([Subscription(Self.topic), Subscription(mark)], subscribed: tell) { batches in
                var count: Int?
                for try await batch in batches {
                    defer { batch.settle(.committed) }
                    for message in batch.messages {
                        if message.topic == mark { return count }
                        if message.topic == Self.topic { count = Int(String(decoding: message.payload, as: UTF8.self)) }
                    }
                }
                return count
            }
        } catch is CommandError {
            // An access list of an earlier version refuses the subscription.
            return nil
        }
    }
}
