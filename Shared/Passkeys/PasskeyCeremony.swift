import CFido2
import Cryptography
import Foundation

/// A question that was put to somebody's passkey, and what an answer to it must say.
///
/// Threading: a value; libfido2 is asked from any thread.
package struct PasskeyCeremony: Sendable, Hashable {
    /// The length that any part of an answer may have; what real devices send is below a tenth of it.
    private static let longest = 16_384

    /// The random text that the answer must name, as base64url.
    package let challenge: String
    /// The host name of the pages.
    package let host: String
    private let authority: String

    /// - Parameter authority: the host of the request with its port, as in its header.
    package init(challenge: String, authority: String) throws(PasskeyError) {
        self.challenge = challenge
        self.authority = authority.lowercased()
        host = String(self.authority.prefix { $0 != ":" })
        let isAddress = host.isEmpty || host.hasPrefix("[") || host.allSatisfy { $0.isNumber || $0 == "." }
        guard !isAddress else { throw .noHostName }
    }

    /// Takes a new passkey. Its maker's word for it is not asked for: whoever is signed in chooses the own device.
    package func register(clientData: [UInt8], authenticatorData: [UInt8]) throws(PasskeyError) -> Passkey {
        try check(clientData, is: "webauthn.create")
        let head = try AuthenticatorHead(authenticatorData, host: host)
        guard head.hasKey else { throw .malformed }
        for algorithm in Passkey.Algorithm.allCases {
            if let (id, key) = try read(authenticatorData, algorithm) {
                return Passkey(id: id, algorithm: algorithm, key: key, host: host, counter: head.counter)
            }
        }
        throw .unknownAlgorithm
    }

    /// Checks what a passkey signed.
    /// - Returns: the passkey with its counter as it is now.
    package func verify(
        clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], by passkey: Passkey
    ) throws(PasskeyError) -> Passkey {
        try check(clientData, is: "webauthn.get")
        let head = try AuthenticatorHead(authenticatorData, host: host)
        guard passkey.host == host else { throw .foreignOrigin }
        guard signature.count <= Self.longest, isSigned(clientData, authenticatorData, signature, by: passkey) else {
            throw .wrongSignature
        }
        // Where neither counts, both are 0.
        guard head.counter > passkey.counter || (head.counter == 0 && passkey.counter == 0) else { throw .copied }
        var used = passkey
        used.counter = head.counter
        return used
    }

    /// What the browser says that it asked for.
    private struct ClientData: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
    }

    private func check(_ bytes: [UInt8], is type: String) throws(PasskeyError) {
        guard bytes.count <= Self.longest, let said = try? JSONDecoder().decode(ClientData.self, from: Data(bytes)), said.type == type
        else {
            throw .malformed
        }
        guard said.origin == "https://\(authority)" || said.origin == "http://\(authority)", said.crossOrigin != true else {
            throw .foreignOrigin
        }
        guard said.challenge == challenge else { throw .wrongChallenge }
    }

    /// The identifier and the public key in a new passkey's data; nil where its key is of another kind.
    private func read(_ data: [UInt8], _ algorithm: Passkey.Algorithm) throws(PasskeyError) -> (id: [UInt8], key: [UInt8])? {
        guard data.count <= Self.longest else { throw .malformed }
        var credential = unsafe fido_cred_new()
        defer { unsafe fido_cred_free(&credential) }
        guard unsafe fido_cred_set_type(credential, algorithm.rawValue) == FIDO_OK,
            unsafe fido_cred_set_authdata_raw(credential, data, data.count) == FIDO_OK
        else { return nil }
        let id = unsafe Array(UnsafeBufferPointer(start: fido_cred_id_ptr(credential), count: fido_cred_id_len(credential)))
        let key = unsafe Array(UnsafeBufferPointer(start: fido_cred_pubkey_ptr(credential), count: fido_cred_pubkey_len(credential)))
        return id.isEmpty || key.isEmpty ? nil : (id, key)
    }

    private func isSigned(_ clientData: [UInt8], _ data: [UInt8], _ signature: [UInt8], by passkey: Passkey) -> Bool {
        var assertion = unsafe fido_assert_new()
        defer { unsafe fido_assert_free(&assertion) }
        guard unsafe fido_assert_set_clientdata(assertion, clientData, clientData.count) == FIDO_OK,
            unsafe fido_assert_set_rp(assertion, host) == FIDO_OK, unsafe fido_assert_set_count(assertion, 1) == FIDO_OK,
            unsafe fido_assert_set_up(assertion, FIDO_OPT_TRUE) == FIDO_OK,
            unsafe fido_assert_set_authdata_raw(assertion, 0, data, data.count) == FIDO_OK,
            unsafe fido_assert_set_sig(assertion, 0, signature, signature.count) == FIDO_OK
        else { return false }
        return unsafe passkey.withKey { unsafe fido_assert_verify(assertion, 0, passkey.algorithm.rawValue, $0) == FIDO_OK }
    }
}

extension Passkey {
    /// Calls the body with the public key as libfido2 has it; false where it is none.
    fileprivate func withKey(_ body: (UnsafeRawPointer) -> Bool) -> Bool {
        switch algorithm {
        case .es256:
            var made = unsafe es256_pk_new()
            defer { unsafe es256_pk_free(&made) }
            guard let made = unsafe made, unsafe es256_pk_from_ptr(made, key, key.count) == FIDO_OK else { return false }
            return unsafe body(UnsafeRawPointer(made))
        case .edDSA:
            var made = unsafe eddsa_pk_new()
            defer { unsafe eddsa_pk_free(&made) }
            guard let made = unsafe made, unsafe eddsa_pk_from_ptr(made, key, key.count) == FIDO_OK else { return false }
            return unsafe body(UnsafeRawPointer(made))
        case .rs256:
            var made = unsafe rs256_pk_new()
            defer { unsafe rs256_pk_free(&made) }
            guard let made = unsafe made, unsafe rs256_pk_from_ptr(made, key, key.count) == FIDO_OK else { return false }
            return unsafe body(UnsafeRawPointer(made))
        }
    }
}

/// The 37 bytes that a device's data begin with: whose pages it signs for, what it says of its owner, and how often it has signed.
private struct AuthenticatorHead {
    let counter: UInt32
    /// A new key follows.
    let hasKey: Bool

    init(_ data: [UInt8], host: String) throws(PasskeyError) {
        guard data.count >= 37 else { throw .malformed }
        let pages = data[..<32].hexadecimal
        guard pages == SHA256.hex(of: host) else { throw .foreignOrigin }
        guard data[32] & 1 != 0 else { throw .absent }
        hasKey = data[32] & 0x40 != 0
        counter = data[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
