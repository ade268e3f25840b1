import Cryptography
import Foundation

/// A browser's subscription to pushed messages, as `PushSubscription.toJSON()` writes it.
struct WebPushSubscription: Hashable, Sendable, Decodable {
    private struct Keys: Decodable {
        let p256dh: String
        let auth: String
    }

    private enum CodingKeys: String, CodingKey { case endpoint, keys }

    let endpoint: String
    /// The browser's public key, 65 bytes.
    let publicKey: [UInt8]
    /// The secret by which the browser knows who encrypted, 16 bytes.
    let authentication: [UInt8]

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        endpoint = try values.decode(String.self, forKey: .endpoint)
        let keys = try values.decode(Keys.self, forKey: .keys)
        guard let publicKey = Base64URL.decode(keys.p256dh.replacing("=", with: "")), publicKey.count == 65,
            let authentication = Base64URL.decode(keys.auth.replacing("=", with: "")), authentication.count == 16
        else { throw DecodingError.dataCorruptedError(forKey: .keys, in: values, debugDescription: "the keys are no subscription's") }
        (self.publicKey, self.authentication) = (publicKey, authentication)
    }

    /// The origin of its service, which the sender's token is for; nil where the endpoint is no https address.
    var origin: String? {
        guard let url = URLComponents(string: endpoint), let scheme = url.scheme, ["https", "http"].contains(scheme), let host = url.host,
            !host.isEmpty
        else { return nil }
        return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
    }

    /// Reads one, or a list of them, one for each of a person's browsers.
    static func list(_ data: Data) throws -> [WebPushSubscription] {
        if let list = try? JSONDecoder().decode([WebPushSubscription].self, from: data) { return list }
        return [try JSONDecoder().decode(WebPushSubscription.self, from: data)]
    }
}

/// A message to a browser, encrypted so that the service between can read nothing of it. Source: RFC 8291, and RFC 8188 for the form.
enum WebPushMessage {
    /// The most bytes of a message: services must take a body of 4,096 with its header of 86 and a tag of 16 and a delimiter (RFC 8291, section 4).
    static let mostBytes = 4096 - 86 - 17
    private static let recordSize: [UInt8] = [0, 0, 16, 0]

    /// - Parameters:
    ///   - key: a key for this message alone.
    ///   - salt: 16 random bytes.
    static func encrypt(
        _ plain: [UInt8], for subscription: WebPushSubscription, key: EllipticKey, salt: [UInt8]
    ) throws(EllipticKeyError) -> [UInt8] {
        let shared = try key.sharedSecret(with: subscription.publicKey)
        let information = Array("WebPush: info\0".utf8) + subscription.publicKey + key.publicKey
        let material = derive(from: shared, salt: subscription.authentication, information, 32)
        let contentKey = derive(from: material, salt: salt, Array("Content-Encoding: aes128gcm\0".utf8), 16)
        let nonce = derive(from: material, salt: salt, Array("Content-Encoding: nonce\0".utf8), 12)
        // 2 delimits the last record.
        let sealed = try AESGCM.seal(plain + [2], key: contentKey, nonce: nonce)
        return salt + recordSize + [UInt8(key.publicKey.count)] + key.publicKey + sealed
    }

    /// HKDF with SHA-256 (RFC 5869), up to 32 bytes.
    private static func derive(from material: [UInt8], salt: [UInt8], _ information: [UInt8], _ length: Int) -> [UInt8] {
        let key = MessageAuthentication.hmac(material, key: salt)
        return Array(MessageAuthentication.hmac(information + [1], key: key).prefix(length))
    }
}

/// The proof of who sends, which push services ask for. Source: RFC 8292 (VAPID).
struct WebPushIdentity: Hashable, Sendable {
    /// The longest that a token is good for; services refuse more than a day.
    private static let lifetime = 12.0 * 3600
    let key: EllipticKey
    /// Whom the service may ask, `mailto:` or `https:`.
    let contact: String

    /// The header `Authorization`.
    /// - Parameter now: Unix seconds.
    func authorization(for origin: String, now: Double) throws(EllipticKeyError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        struct Claims: Encodable {
            let aud: String
            let exp: Int64
            let sub: String
        }
        let claims = Claims(aud: origin, exp: Int64(now + Self.lifetime), sub: contact)
        // Texts and numbers always encode.
        let payload = (try? encoder.encode(claims)).map { Array($0) } ?? []
        let signed = Base64URL.encode(Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8)) + "." + Base64URL.encode(payload)
        let token = signed + "." + Base64URL.encode(try key.signature(of: Array(signed.utf8)))
        return "vapid t=\(token), k=\(Base64URL.encode(key.publicKey))"
    }
}
