import Cryptography
import Testing

@Suite("Sealing")
struct SealingTests {
    private func sealed(_ plain: [UInt8], pieces: Int) throws -> [UInt8] {
        var writer = try SealedWriter(passphrase: "correct horse")
        var output: [UInt8] = []
        let size = max(1, plain.count / pieces)
        for start in stride(from: 0, to: plain.count, by: size) {
            output += writer.seal(Array(plain[start..<min(start + size, plain.count)]))
        }
        return output + writer.finish()
    }

    private func opened(_ bytes: [UInt8], passphrase: String = "correct horse", piece: Int = 7001) throws -> [UInt8] {
        var reader = SealedReader(passphrase: passphrase)
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            output += try reader.open(Array(bytes[start..<min(start + piece, bytes.count)]))
        }
        try reader.finish()
        return output
    }

    private func refusal(_ bytes: [UInt8], passphrase: String = "correct horse") -> SealingError.Code? {
        (#expect(throws: SealingError.self) { try opened(bytes, passphrase: passphrase) })?.code
    }

    @Test("opens to what was sealed, whatever the pieces", arguments: [0, 1, 65_536, 65_537, 300_000])
    func roundTrip(count: Int) throws {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let bytes = try sealed(plain, pieces: 5)
        #expect(try opened(bytes) == plain)
        #expect(try sealed(plain, pieces: 1) != bytes, "a salt of its own each time")
    }

    @Test("notices a wrong passphrase, an altered byte, a missing end, and a file that is not sealed")
    func refusals() throws {
        let bytes = try sealed(Array(repeating: 7, count: 200_000), pieces: 1)
        #expect(refusal(bytes, passphrase: "wrong") == .wrongPassphrase)
        var altered = bytes
        altered[150_000] ^= 1
        #expect(refusal(altered) == .altered)
        #expect(refusal(Array(bytes.dropLast(1))) == .truncated)
        // Cut just behind a whole chunk: only the final tag tells.
        let prelude = 10 + 16 + 24
        #expect(refusal(Array(bytes.prefix(prelude + 4 + 65_536 + 17))) == .truncated)
        #expect(refusal(Array("a,b\n1,2\n".utf8)) == .notSealed)
        #expect(refusal([]) == .notSealed)
    }
}
