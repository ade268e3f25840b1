import CSodium

/// The way a sealed stream is laid out: `VIGILSEAL2`, the cost of the key (passes and KiB of memory, 4 bytes each, little-endian), a salt,
/// secretstream's header, then chunks, each its length (4 bytes, little-endian) and its ciphertext. The last chunk carries the final tag, so that
/// a cut is noticed.
///
/// The key comes from a passphrase by Argon2id; encryption is XChaCha20-Poly1305 by libsodium's secretstream
/// (https://doc.libsodium.org/secret-key_cryptography/secretstream). Whoever changes the cost in the file gets another key, which opens nothing.
enum SealedFormat {
    /// The cost of deriving a key.
    struct Cost: Hashable {
        /// libsodium's moderate limits: 3 passes over 256 MiB.
        static let present = Cost(passes: 3, kibibytes: 256 << 10)
        /// The most that a file may ask for: whoever made it could otherwise have its reader's memory taken.
        static let most = Cost(passes: 16, kibibytes: 2 << 20)
        static let length = 8

        let passes: UInt32
        let kibibytes: UInt32

        init(passes: UInt32, kibibytes: UInt32) { (self.passes, self.kibibytes) = (passes, kibibytes) }

        /// Reads what `bytes` are; nil for a cost that nobody should pay.
        init?(_ bytes: some Sequence<UInt8>) {
            let bytes = Array(bytes)
            guard bytes.count == Self.length else { return nil }
            let numbers = [0, 4].map { start in (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) } }
            self.init(passes: numbers[0], kibibytes: numbers[1])
            guard (1...Self.most.passes).contains(passes), (8...Self.most.kibibytes).contains(kibibytes) else { return nil }
        }

        var bytes: [UInt8] {
            [passes, kibibytes].flatMap { number in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) } }
        }
    }

    static let magic = Array("VIGILSEAL2".utf8)
    static let saltLength = Int(crypto_pwhash_SALTBYTES)
    static let headerLength = Int(crypto_secretstream_xchacha20poly1305_HEADERBYTES)
    /// The number of bytes that each chunk adds to its plain text.
    static let overhead = Int(crypto_secretstream_xchacha20poly1305_ABYTES)
    /// Plain bytes in a chunk, but for the last.
    static let chunkLength = 65_536

    /// The key for a passphrase. Takes about half a second, on purpose.
    static func key(passphrase: String, salt: [UInt8], _ cost: Cost) throws(SealingError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: Int(crypto_secretstream_xchacha20poly1305_KEYBYTES))
        let bytes = Array(passphrase.utf8).map { CChar(bitPattern: $0) }
        let status = unsafe crypto_pwhash(
            &key, UInt64(key.count), bytes, UInt64(bytes.count), salt, UInt64(cost.passes), Int(cost.kibibytes) << 10,
            crypto_pwhash_ALG_ARGON2ID13)
        guard status == 0 else { throw SealingError(code: .outOfMemory) }
        return key
    }
}

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
        let key = try SealedFormat.key(passphrase: passphrase, salt: salt, .present)
        var header = [UInt8](repeating: 0, count: SealedFormat.headerLength)
        unsafe crypto_secretstream_xchacha20poly1305_init_push(&state, &header, key)
        prelude = SealedFormat.magic + SealedFormat.Cost.present.bytes + salt + header
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

/// Opens what `SealedWriter` sealed, piece by piece, in constant memory.
///
/// Each piece that it gives out is authentic and stands in its place; only `finish()` says that nothing is missing at the end.
/// Threading: a value used by one task at a time.
package struct SealedReader: Sendable {
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
        guard let (cost, begin) = try cost() else { return }
        let end = begin + SealedFormat.saltLength + SealedFormat.headerLength
        guard pending.count >= end else { return }
        let key = try SealedFormat.key(passphrase: passphrase, salt: Array(pending[begin..<begin + SealedFormat.saltLength]), cost)
        let header = Array(pending[begin + SealedFormat.saltLength..<end])
        var state = crypto_secretstream_xchacha20poly1305_state()
        guard unsafe crypto_secretstream_xchacha20poly1305_init_pull(&state, header, key) == 0 else {
            throw SealingError(code: .notSealed)
        }
        self.state = state
        pending.removeFirst(end)
    }

    /// The cost of the key and where the salt begins; nil where that much has not come yet.
    private func cost() throws(SealingError) -> (SealedFormat.Cost, Int)? {
        let magic = SealedFormat.magic.count
        guard pending.prefix(magic).elementsEqual(SealedFormat.magic.prefix(pending.count)) else {
            throw SealingError(code: .notSealed)
        }
        guard pending.count >= magic + SealedFormat.Cost.length else { return nil }
        guard let cost = SealedFormat.Cost(pending[magic..<magic + SealedFormat.Cost.length]) else { throw SealingError(code: .notSealed) }
        return (cost, magic + SealedFormat.Cost.length)
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

    /// A Boolean value that indicates whether a chunk was opened already: until then a wrong passphrase is likelier than an altered chunk.
    private var hasOpened = false
}

/// The reason why something could not be sealed or opened. Says nothing of what is inside.
package struct SealingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable, Hashable {
        /// It does not begin as a sealed file does, or it was made by a newer version.
        case notSealed
        /// The passphrase is not the one that it was sealed with, or its beginning was altered.
        case wrongPassphrase
        /// A part was altered, or stands in another place than it should.
        case altered
        /// The end is missing.
        case truncated
        /// Too little memory to derive a key.
        case outOfMemory
    }

    package let code: Code

    package var description: String {
        switch code {
        case .notSealed: "the file was not sealed by vigil, or by a newer version"
        case .wrongPassphrase: "the passphrase is wrong, or the file's beginning was altered"
        case .altered: "the file was altered"
        case .truncated: "the file's end is missing"
        case .outOfMemory: "there is too little memory to derive the key (256 MiB are needed)"
        }
    }
}
