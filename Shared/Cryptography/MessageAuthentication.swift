import CSodium

/// Keyed hashes that prove who sent a message and that nobody changed it.
package enum MessageAuthentication {
    /// HMAC-SHA-256 (RFC 2104, FIPS 180-4) of the message, as 64 lower-case hexadecimal digits. A key of any length.
    package static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> String {
        var state = crypto_auth_hmacsha256_state()
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
        unsafe crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        unsafe crypto_auth_hmacsha256_final(&state, &digest)
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
