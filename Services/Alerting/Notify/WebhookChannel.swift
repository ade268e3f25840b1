import Cryptography
package import HTTPClient

/// Posts notifications as JSON.
///
/// With a secret, `X-Vigil-Signature: sha256=<hex>` is the HMAC-SHA-256 of `<X-Vigil-Timestamp>.<body>` with the secret as key; a receiver
/// should refuse old timestamps. Any status 200–299 means accepted.
package struct WebhookChannel: NotificationChannel {
    private let url: String
    private let secret: [UInt8]?
    private let client: HTTPClient
    private let timeout: Duration

    /// - Parameter timeout: for the whole exchange, however slowly the other side answers.
    package init(url: String, secret: [UInt8]?, client: HTTPClient, timeout: Duration = .seconds(15)) {
        self.url = url
        self.secret = secret
        self.client = client
        self.timeout = timeout
    }

    package func send(_ notification: Notification) async throws(ChannelError) {
        do {
            let body = try notification.encoded()
            let timestamp = String(Int64(notification.time))
            var headers = [HTTPHeader("X-Vigil-Timestamp", timestamp), HTTPHeader("X-Vigil-Notification", notification.id)]
            if let secret {
                let signature = MessageAuthentication.hmacSHA256(Array("\(timestamp).".utf8) + body, key: secret)
                headers.append(HTTPHeader("X-Vigil-Signature", "sha256=\(signature)"))
            }
            let answer = try await client.post(url, body: body, contentType: "application/json", headers: headers, timeout: timeout)
            guard answer.isSuccess else { throw ChannelError("the webhook answered with status \(answer.status)") }
        } catch let error as ChannelError {
            throw error
        } catch {
            throw ChannelError("\(error)")
        }
    }
}
