import CSodium

/// Opens what `SealedWriter` sealed, piece by piece, in constant memory.
///
/// Each piece that it gives out is authentic and stands in its place; only `finish()` says that nothing is missing at the end.
/// Threading: a value used by one task at a time.
package struct SealedReader {
    private let passphrase: String
    private var state: crypto_secretstream_xchacha20poly1305_state?
    private var pending: [UInt8] = []
    private var isComplete = false

    package init(passphrase: String) { self.passphrase = passphrase }

    /// The plain bytes that the sealed ones have made ready.
    package mutating func open(_ bytes: [UInt8]) throws(SealingError) -> [UInt8] {
        pending += bytes
        if state == nil { try start() }
        var output: [UInt8] = []
        var offset = 0
        while let chunk = try nextChunk(at: offset) {
            output += try pull(chunk)
            offset += 4 + chunk.count
        }
        pending.removeFirst(offset)
        return output
    }

    /// Says that the stream ends here.
    package func finish() throws(SealingError) {
        guard isComplete, pending.isEmpty else { throw SealingError(code: state == nil ? .notSealed : .truncated) }
    }

    private mutating func start() throws(SealingError) {
        let (magic, salt) = (SealedFormat.magic.count, SealedFormat.saltLength)
        guard pending.prefix(magic).elementsEqual(SealedFormat.magic.prefix(pending.count)) else { throw SealingError(code: .notSealed) }
        guard pending.count >= magic + salt + SealedFormat.headerLength else { return }
        let key = try SealedFormat.key(passphrase: passphrase, salt: Array(pending[magic..<magic + salt]))
        let header = Array(pending[magic + salt..<magic + salt + SealedFormat.headerLength])
        var state = crypto_secretstream_xchacha20poly1305_state()
        guard unsafe crypto_secretstream_xchacha20poly1305_init_pull(&state, header, key) == 0 else {
            throw SealingError(code: .notSealed)
        }
        self.state = state
        pending.removeFirst(magic + salt + SealedFormat.headerLength)
    }

    private func nextChunk(at offset: Int) throws(SealingError) -> [UInt8]? {
        guard state != nil, pending.count - offset >= 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(pending[offset + $1]) << (8 * $1) }
        guard length >= SealedFormat.overhead, length <= SealedFormat.chunkLength + SealedFormat.overhead else {
            throw SealingError(code: .altered)
        }
        guard pending.count - offset - 4 >= length else { return nil }
        return Array(pending[offset + 4..<offset + 4 + length])
    }

    private mutating func pull(_ chunk: [UInt8]) throws(SealingError) -> [UInt8] {
        guard var state, !isComplete else { throw SealingError(code: .altered) }
        var plain = [UInt8](repeating: 0, count: chunk.count - SealedFormat.overhead)
        var tag: UInt8 = 0
        let status = unsafe crypto_secretstream_xchacha20poly1305_pull(
            &state, &plain, nil, &tag, chunk, UInt64(chunk.count), nil, 0)
        guard status == 0 else { throw SealingError(code: hasOpened ? .altered : .wrongPassphrase) }
        self.state = state
        hasOpened = true
        isComplete = tag == crypto_secretstream_xchacha20poly1305_tag_final()
        return plain
    }

    /// Whether a chunk was opened already: until then a wrong passphrase is likelier than an altered chunk.
    private var hasOpened = false
}
