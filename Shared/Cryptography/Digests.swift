import CCrypto
import CSodium

/// SHA-256 of bytes that come piece by piece. Source: FIPS 180-4, by libsodium.
///
/// Threading: used by one task at a time.
@safe package final class SHA256 {
    private let state: UnsafeMutablePointer<crypto_hash_sha256_state>

    /// Starts with no bytes.
    package init() {
        unsafe state = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe crypto_hash_sha256_init(state)
    }

    deinit { unsafe state.deallocate() }

    /// Adds the first `count` of the bytes.
    package func update(_ bytes: [UInt8], count: Int) {
        precondition(count <= bytes.count)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe _ = crypto_hash_sha256_update(state, start, UInt64(count))
        }
    }

    /// The 32 bytes' value in lower-case hexadecimal digits. Nothing may be added afterwards.
    package func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe digest.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe _ = crypto_hash_sha256_final(state, start)
        }
        return digest.hexadecimal
    }
}

/// SHA-1, for others' protocols that ask for it and nothing else. Source: FIPS 180-4, by OpenSSL.
package enum SHA1 {
    /// The value of the bytes in 40 lower-case hexadecimal digits; nil where the library cannot compute it.
    package static func hex(_ bytes: [UInt8]) -> String? {
        var digest = [UInt8](repeating: 0, count: 20)
        guard unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil) == 1 else { return nil }
        return digest.hexadecimal
    }
}

/// Keyed hashes that prove who sent a message and that nobody changed it.
package enum MessageAuthentication {
    /// HMAC-SHA-256 (RFC 2104, FIPS 180-4) of the message, as 64 lower-case hexadecimal digits. A key of any length.
    package static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> String { hmac(message, key: key).hexadecimal }

    /// The same as 32 bytes.
    package static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var state = crypto_auth_hmacsha256_state()
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
        unsafe crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        unsafe crypto_auth_hmacsha256_final(&state, &digest)
        return digest
    }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    package var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
