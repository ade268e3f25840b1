/// A key pair on somebody's device, of which only the public half is known here (WebAuthn, a W3C recommendation).
package struct Passkey: Sendable, Hashable {
    /// The kinds of signatures that are taken, each with its number in the COSE registry.
    package enum Algorithm: Int32, Sendable, CaseIterable {
        case es256 = -7
        case edDSA = -8
        case rs256 = -257
    }

    /// The name that the device gave it.
    package let id: [UInt8]
    package let algorithm: Algorithm
    /// The public key as libfido2 writes it.
    package let key: [UInt8]
    /// The host name of the pages that it was made for; browsers use it nowhere else.
    package let host: String
    /// The number of signatures that the device has counted; 0 where it does not count.
    package var counter: UInt32

    package init(id: [UInt8], algorithm: Algorithm, key: [UInt8], host: String, counter: UInt32) {
        self.id = id
        self.algorithm = algorithm
        self.key = key
        self.host = host
        self.counter = counter
    }
}

/// The reason why a passkey, or what it signed, was refused.
package enum PasskeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed
    /// A browser uses passkeys only under a host name, and only over TLS or on this very machine.
    case noHostName
    /// It was made on the pages of another server.
    case foreignOrigin
    /// It answers another question than the one that was asked.
    case wrongChallenge
    /// Nobody touched the device.
    case absent
    case unknownAlgorithm
    case wrongSignature
    /// The device has signed less often than before: a copy of it may be in use.
    case copied

    package var description: String {
        switch self {
        case .malformed: "the passkey's answer cannot be read"
        case .noHostName: "a passkey needs a host name: open these pages by the server's name, not by its address"
        case .foreignOrigin: "the passkey's answer is for another site"
        case .wrongChallenge: "the passkey's answer is for another attempt, or came too late"
        case .absent: "nobody touched the passkey's device"
        case .unknownAlgorithm: "the passkey's kind of signature is not taken: it must be ES256, EdDSA or RS256"
        case .wrongSignature: "the passkey's signature is wrong"
        case .copied: "the passkey's counter went back: it may have been copied"
        }
    }
}
