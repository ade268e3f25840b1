import CSodium

/// How a sealed stream is laid out: `VIGILSEAL1`, a salt, secretstream's header, then chunks, each its length (4 bytes, little-endian)
/// and its ciphertext. The last chunk carries the final tag, so that a cut is noticed.
///
/// The key comes from a passphrase by Argon2id with libsodium's interactive limits (64 MiB, 2 passes); encryption is
/// XChaCha20-Poly1305 by libsodium's secretstream (https://doc.libsodium.org/secret-key_cryptography/secretstream).
enum SealedFormat {
    static let magic = Array("VIGILSEAL1".utf8)
    static let saltLength = Int(crypto_pwhash_SALTBYTES)
    static let headerLength = Int(crypto_secretstream_xchacha20poly1305_HEADERBYTES)
    /// What each chunk adds to its plain bytes.
    static let overhead = Int(crypto_secretstream_xchacha20poly1305_ABYTES)
    /// Plain bytes in a chunk, but for the last.
    static let chunkLength = 65_536

    /// The key for a passphrase. Takes about a tenth of a second, on purpose.
    static func key(passphrase: String, salt: [UInt8]) throws(SealingError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: Int(crypto_secretstream_xchacha20poly1305_KEYBYTES))
        let bytes = Array(passphrase.utf8).map { CChar(bitPattern: $0) }
        let status = unsafe crypto_pwhash(
            &key, UInt64(key.count), bytes, UInt64(bytes.count), salt, UInt64(crypto_pwhash_OPSLIMIT_INTERACTIVE),
            Int(crypto_pwhash_MEMLIMIT_INTERACTIVE), crypto_pwhash_ALG_ARGON2ID13)
        guard status == 0 else { throw SealingError(code: .outOfMemory) }
        return key
    }
}
