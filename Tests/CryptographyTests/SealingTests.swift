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
        let prelude = 10 + 8 + 16 + 24
        #expect(refusal(Array(bytes.prefix(prelude + 4 + 65_536 + 17))) == .truncated)
        #expect(refusal(Array("a,b\n1,2\n".utf8)) == .notSealed)
        #expect(refusal([]) == .notSealed)
    }

    @Test("tells in its beginning that the key costs three passes over 256 MiB, and asks nobody for more than can be borne")
    func cost() throws {
        let bytes = try sealed([1, 2, 3], pieces: 1)
        #expect(bytes.prefix(18).elementsEqual(Array("VIGILSEAL2".utf8) + [3, 0, 0, 0, 0, 0, 4, 0]))
        for place in 10..<18 {
            var altered = bytes
            altered[place] ^= place < 14 ? 2 : 1
            #expect([.wrongPassphrase, .notSealed].contains(refusal(altered)), "byte \(place)")
        }
        for cost: [UInt8] in [
            [0, 0, 0, 0, 0, 0, 4, 0], [17, 0, 0, 0, 0, 0, 4, 0], [3, 0, 0, 0, 1, 0, 32, 0], [3, 0, 0, 0, 0, 0, 0, 255],
        ] {
            #expect(refusal(Array(bytes.prefix(10)) + cost + Array(bytes.dropFirst(18))) == .notSealed, "\(cost)")
        }
    }

    @Test(
        "opens what another program sealed in this form",
        arguments: [
            "564947494c5345414c320300000000000400000102030405060708090a0b0c0d0e0f4a4a8235cc675f9ae023ca7a29c8a30fd6747177959e0376190000009fd1533b3003a64f5a47c00f73e982fd2d8aa505895d1e985b"
        ])
    func madeElsewhere(hexadecimal: String) throws {
        let digits = Array(hexadecimal)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        #expect(try opened(bytes, piece: 11) == Array("a,b\n1,2\n".utf8))
        #expect(refusal(bytes, passphrase: "wrong") == .wrongPassphrase)
    }
}
