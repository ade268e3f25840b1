import CSodium

/// Encrypts bytes that come piece by piece, in constant memory; `SealedReader` opens them again.
///
/// Threading: a value used by one task at a time.
package struct SealedWriter {
    private var state = crypto_secretstream_xchacha20poly1305_state()
    private var pending: [UInt8] = []
    private var prelude: [UInt8]

    /// - Throws: `SealingError` where there is no memory to derive the key.
    package init(passphrase: String) throws(SealingError) {
        var salt = [UInt8](repeating: 0, count: SealedFormat.saltLength)
        guard sodium_init() >= 0 else { throw SealingError(code: .outOfMemory) }
        unsafe randombytes_buf(&salt, salt.count)
        let key = try SealedFormat.key(passphrase: passphrase, salt: salt)
        var header = [UInt8](repeating: 0, count: SealedFormat.headerLength)
        unsafe crypto_secretstream_xchacha20poly1305_init_push(&state, &header, key)
        prelude = SealedFormat.magic + salt + header
    }

    /// The sealed bytes that the plain ones have made ready; what is left waits for more.
    package mutating func seal(_ bytes: [UInt8]) -> [UInt8] {
        pending += bytes
        var output = prelude
        prelude = []
        var start = 0
        while pending.count - start > SealedFormat.chunkLength {
            push(Array(pending[start..<start + SealedFormat.chunkLength]), isLast: false, to: &output)
            start += SealedFormat.chunkLength
        }
        pending.removeFirst(start)
        return output
    }

    /// The last sealed bytes. Nothing may follow.
    package mutating func finish() -> [UInt8] {
        var output = seal([])
        push(pending, isLast: true, to: &output)
        pending = []
        return output
    }

    private mutating func push(_ plain: [UInt8], isLast: Bool, to output: inout [UInt8]) {
        var sealed = [UInt8](repeating: 0, count: plain.count + SealedFormat.overhead)
        let tag = isLast ? crypto_secretstream_xchacha20poly1305_tag_final() : 0
        unsafe crypto_secretstream_xchacha20poly1305_push(&state, &sealed, nil, plain, UInt64(plain.count), nil, 0, tag)
        for shift in [0, 8, 16, 24] { output.append(UInt8(truncatingIfNeeded: sealed.count >> shift)) }
        output += sealed
    }
}
