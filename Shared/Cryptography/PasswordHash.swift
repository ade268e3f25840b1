import CSodium

/// Hashes of passwords that are slow to guess: Argon2id (RFC 9106) with 19 MiB and 2 passes, as OWASP's cheat sheet advises.
///
/// Each takes some tens of milliseconds and its memory, on purpose: the caller bounds how many run at once. Threading: from anywhere.
package enum PasswordHash {
    private static let passes: UInt64 = 2
    private static let memory = 19 << 20
    /// Chooses the fastest implementation that the processor has.
    private static let isReady: Bool = sodium_init() >= 0

    /// The hash with its salt and costs, in the usual text form `$argon2id$v=19$…`.
    package static func make(_ password: String) throws(SealingError) -> String {
        _ = isReady
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let bytes = characters(password)
        let status = unsafe crypto_pwhash_str_alg(
            &text, bytes, UInt64(bytes.count), passes, memory, Int32(crypto_pwhash_ALG_ARGON2ID13))
        guard status == 0 else { throw SealingError(code: .outOfMemory) }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns whether the password is the one that the hash was made of; compares in constant time.
    package static func verify(_ password: String, _ hash: String) -> Bool {
        _ = isReady
        let bytes = characters(password)
        return unsafe hash.withCString { unsafe crypto_pwhash_str_verify($0, bytes, UInt64(bytes.count)) == 0 }
    }

    private static func characters(_ text: String) -> [CChar] { text.utf8.map { CChar(bitPattern: $0) } }
}

extension SHA256 {
    /// The digest of a text's UTF-8 in lower-case hexadecimal digits.
    package static func hex(of text: String) -> String {
        let bytes = Array(text.utf8)
        let hash = SHA256()
        hash.update(bytes, count: bytes.count)
        return hash.finish()
    }
}
