import Cryptography
import Testing

@testable import Passkeys

/// The values are those of "none attestation, ES256" in the test vectors of W3C's Web Authentication, level 3, section 16.
@Suite("Passkeys")
struct PasskeyTests {
    private static let clientData = bytes(
        """
        7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a22414d4d507434557878475453746e6364713431\
        3759447742466938767049612d7077386f4f755657345441222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c22\
        63726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d61792062652065787465\
        6e6465642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a2042\
        6b5165446a646354427258426941774a544c4535513d3d227d
        """
    )
    private static let authenticatorData = bytes(
        """
        bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b559000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f39\
        1db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db908\
        56062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220
        """
    )
    private static let answerClientData = bytes(
        """
        7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158756c5455506f334a555854304939\
        3770767a7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f\
        73734f726967696e223a66616c73657d
        """
    )
    private static let answerData = bytes("bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000")
    private static let signature = bytes(
        """
        3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6\
        e486013f937295ea13653e331e87
        """
    )
    private static let asked = "AMMPt4UxxGTStncdq417YDwBFi8vpIa-pw8oOuVW4TA"
    private static let askedAgain = "OcDnUhQXulTUPo3JUXT0I97pvzzYBP9tZchXyav01Ag"

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    private func registered() throws -> Passkey {
        try PasskeyCeremony(challenge: Self.asked, authority: "example.org")
            .register(clientData: Self.clientData, authenticatorData: Self.authenticatorData)
    }

    private func verify(
        _ passkey: Passkey, authority: String = "example.org", challenge: String = askedAgain, clientData: [UInt8] = answerClientData,
        data: [UInt8] = answerData, signature: [UInt8] = signature
    ) throws -> Passkey {
        try PasskeyCeremony(challenge: challenge, authority: authority)
            .verify(clientData: clientData, authenticatorData: data, signature: signature, by: passkey)
    }

    @Test("are taken, and their signatures found right")
    func vectors() throws {
        let passkey = try registered()
        #expect(passkey.id == Self.bytes("f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4"))
        #expect(passkey.algorithm == .es256 && passkey.host == "example.org" && passkey.counter == 0)
        #expect(try verify(passkey) == passkey)
    }

    @Test("are refused with any other byte, wherever it stands")
    func flips() throws {
        let passkey = try registered()
        for index in Self.answerData.indices {
            var data = Self.answerData
            data[index] ^= 1
            #expect(throws: PasskeyError.self, "byte \(index)") { try verify(passkey, data: data) }
        }
        for index in Self.signature.indices {
            var signature = Self.signature
            signature[index] ^= 1
            #expect(throws: PasskeyError.self, "byte \(index)") { try verify(passkey, signature: signature) }
        }
        for index in Self.answerClientData.indices {
            var said = Self.answerClientData
            said[index] ^= 1
            #expect(throws: PasskeyError.self, "byte \(index)") { try verify(passkey, clientData: said) }
        }
    }

    @Test("are refused cut short at any place, or with more behind")
    func lengths() throws {
        let passkey = try registered()
        for count in 0..<Self.answerData.count {
            #expect(throws: PasskeyError.self) { try verify(passkey, data: Array(Self.answerData[..<count])) }
        }
        #expect(throws: PasskeyError.self) { try verify(passkey, data: Self.answerData + [0]) }
        #expect(throws: PasskeyError.self) { try verify(passkey, signature: Self.signature + Array(repeating: 0, count: 100_000)) }
        let ceremony = try PasskeyCeremony(challenge: Self.asked, authority: "example.org")
        for count in 0..<Self.authenticatorData.count {
            let data = Array(Self.authenticatorData[..<count])
            #expect(throws: PasskeyError.self) { try ceremony.register(clientData: Self.clientData, authenticatorData: data) }
        }
    }

    @Test("of another site, another question, another key, or that nobody touched are refused as such")
    func reasons() throws {
        let passkey = try registered()
        #expect(throws: PasskeyError.foreignOrigin) { try verify(passkey, authority: "example.com") }
        #expect(throws: PasskeyError.foreignOrigin) { try verify(passkey, authority: "example.org:8443") }
        #expect(throws: PasskeyError.wrongChallenge) { try verify(passkey, challenge: Self.asked) }
        #expect(throws: PasskeyError.malformed) { try verify(passkey, clientData: Self.clientData) }
        var untouched = Self.answerData
        untouched[32] = 0
        #expect(throws: PasskeyError.absent) { try verify(passkey, data: untouched) }
        let other = Passkey(id: passkey.id, algorithm: .es256, key: Array(passkey.key.reversed()), host: passkey.host, counter: 0)
        #expect(throws: PasskeyError.wrongSignature) { try verify(other) }
        for algorithm in [Passkey.Algorithm.edDSA, .rs256] {
            let other = Passkey(id: passkey.id, algorithm: algorithm, key: passkey.key, host: passkey.host, counter: 0)
            #expect(throws: PasskeyError.wrongSignature) { try verify(other) }
        }
    }

    @Test("that have signed less often than before are refused")
    func counters() throws {
        var passkey = try registered()
        passkey.counter = 1
        #expect(throws: PasskeyError.copied) { try verify(passkey) }
    }

    @Test("need a host name", arguments: ["", "192.168.1.2", "192.168.1.2:8443", "[::1]", "[::1]:8443", ":80"])
    func addresses(authority: String) {
        #expect(throws: PasskeyError.noHostName) { try PasskeyCeremony(challenge: "c", authority: authority) }
    }

    @Test("travel as base64url, of which only what it writes is read")
    func text() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        // RFC 4648, section 10, without padding.
        #expect(Base64URL.encode(Array("foobar".utf8)) == "Zm9vYmFy" && Base64URL.encode(Array("fo".utf8)) == "Zm8")
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        for bad in ["Zm8=", "Zm9", "Z", "+/8", "Zm 8", "ä"] { #expect(Base64URL.decode(bad) == nil, "\(bad)") }
    }
}
