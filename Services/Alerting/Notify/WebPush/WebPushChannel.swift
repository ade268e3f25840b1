import Cryptography
import Foundation
import HTTPClient
import ServiceKit
import VigilSchema

/// Sends notifications to a person's browsers by Web Push (RFC 8030).
///
/// The file of subscriptions is read at each delivery, so that a browser that was added is reached at once. An operator fills it: Vigil's own pages do
/// not subscribe.
struct WebPushChannel: NotificationChannel {
    /// The seconds for which a service keeps a message for a browser that is offline.
    private static let timeToLive = 4 * 3600
    private static let mostBrowsers = 16
    let identity: WebPushIdentity?
    let subscriptionFile: String
    let reader: NotificationReader
    let client: HTTPClient
    let timeout: Duration
    private let received = ReceivedCopies()
    /// By endpoint: a push service limits what it takes for each browser.
    private let quiet = QuietTime()

    init(identity: WebPushIdentity?, subscriptionFile: String, reader: NotificationReader, client: HTTPClient, timeout: Duration) {
        self.identity = identity
        self.subscriptionFile = subscriptionFile
        self.reader = reader
        self.client = client
        self.timeout = timeout
    }

    func send(_ notification: Notification) async throws(ChannelError) { _ = try await deliver(notification) }

    func deliver(_ notification: Notification) async throws(ChannelError) -> [MailRefusal] {
        let before = received.recipients(of: notification.id)
        let all = try subscriptions()
        let content = content(notification)
        // At once, so that a slow push service delays no other.
        let failures = await withTaskGroup(of: (String, ChannelError?).self) { tasks in
            for subscription in all where !before.contains(subscription.endpoint) {
                tasks.addTask {
                    do throws(ChannelError) {
                        try await push(content, to: subscription, notification)
                        return (subscription.endpoint, nil)
                    } catch {
                        return (subscription.endpoint, error)
                    }
                }
            }
            return await tasks.reduce(into: [String: ChannelError?]()) { $0[$1.0] = .some($1.1) }
        }
        let (accepted, errors) = (failures.filter { $0.value == nil }.keys, failures.compactMapValues(\.self))
        let refused = all.map(\.endpoint).compactMap { endpoint in
            errors[endpoint].map {
                MailRefusal(address: HTTPClient.host(of: endpoint), code: $0.isLasting ? 550 : 450, text: $0.description)
            }
        }
        let isTriedAgain = accepted.isEmpty && before.isEmpty || refused.contains(where: \.isTemporary)
        received.note(notification.id, isTriedAgain ? Array(accepted) : nil)
        guard accepted.isEmpty, before.isEmpty else { return refused }
        var error = ChannelError("no browser is reached: \(refused.map(\.description).joined(separator: "; "))", refused: refused)
        error.isLasting = refused.allSatisfy { !$0.isTemporary }
        error.pause = errors.values.compactMap(\.pause).min()
        error.isPostponed = errors.values.allSatisfy(\.isPostponed)
        throw error
    }

    private func subscriptions() throws(ChannelError) -> [WebPushSubscription] {
        guard let data = try? RegularFile.read(subscriptionFile, limit: 1 << 20), let list = try? WebPushSubscription.list(data),
            !list.isEmpty
        else {
            var error = ChannelError("\(subscriptionFile) holds no subscription of a browser")
            error.isLasting = true
            throw error
        }
        return Array(list.prefix(Self.mostBrowsers))
    }

    private func push(_ content: [UInt8], to subscription: WebPushSubscription, _ notification: Notification) async throws(ChannelError) {
        guard let origin = subscription.origin, let identity else { throw Self.lasting("there is no key, or no https address") }
        try quiet.check(subscription.endpoint, named: "the push service")
        let (body, authorization): ([UInt8], String)
        do throws(EllipticKeyError) {
            let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
            body = try WebPushMessage.encrypt(content, for: subscription, key: EllipticKey(), salt: salt)
            authorization = try identity.authorization(for: origin, now: Date().timeIntervalSince1970)
        } catch {
            throw Self.lasting("the message cannot be encrypted for the subscription")
        }
        let isUrgent = notification.status == "firing" && notification.alerts.first?.priority != "low"
        let headers = [
            HTTPHeader("Content-Encoding", "aes128gcm"), HTTPHeader("TTL", "\(Self.timeToLive)"),
            HTTPHeader("Authorization", authorization),
            HTTPHeader("Urgency", isUrgent ? "high" : "normal"), HTTPHeader("Topic", Self.topic(notification)),
        ]
        let answer: HTTPClientResponse
        do throws(TransferError) {
            answer = try await client.post(
                subscription.endpoint, body: body, contentType: "application/octet-stream", headers: headers, timeout: timeout,
                limit: 65_536)
        } catch {
            throw ChannelError(error.description)
        }
        guard !answer.isSuccess else { return }
        let refusal = ServiceChannel.refusal("the push service", answer)
        quiet.note(refusal, of: subscription.endpoint)
        throw refusal
    }

    private static func lasting(_ reason: String) -> ChannelError {
        var error = ChannelError(reason)
        error.isLasting = true
        return error
    }

    /// A later message takes the place of one with the same tag, at the push service and on the screen: one of the group, which holds all its
    /// alerts. An alarm that is not stored yet stands alone, so it replaces nothing.
    private static func tag(_ notification: Notification) -> String {
        notification.alerts.contains { $0.unconfirmed == true } ? notification.id : notification.group
    }

    private static func topic(_ notification: Notification) -> String {
        let digest = MessageAuthentication.hmac(Array(tag(notification).utf8), key: Array(notification.notifier.utf8))
        return String(Base64URL.encode(digest).prefix(32))
    }

    /// The content for the service worker of the page that subscribed.
    private struct Content: Encodable {
        let id: String
        let title: String
        var body: String
        let tag: String
        let status: String
        let urgency: String
        let url: String?
    }

    private func content(_ notification: Notification) -> [UInt8] {
        let text = NotificationText(notification, reader)
        let urgency = notification.status == "firing" ? notification.alerts.first?.severity ?? "none" : notification.status
        var content = Content(
            id: notification.id, title: TemplateFilter.characters(200).apply(text.subject), body: text.body, tag: Self.tag(notification),
            status: notification.status, urgency: urgency, url: text.offers.first?.url)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for most in [3000, 1500, 500, 100] {
            content.body = TemplateFilter.bytes(most).apply(text.body)
            let bytes = (try? encoder.encode(content)).map { Array($0) } ?? []
            if bytes.count <= WebPushMessage.mostBytes { return bytes }
        }
        return []
    }
}
