import CCrypto

/// Passwords as a NATS broker keeps them: bcrypt, by the C library's crypt.
package enum BcryptPassword {
    /// The cost for a password that a person may have chosen: some 100 ms for each login, as `BrokerPassword` takes for Mosquitto.
    static let cost = 11
    /// The least there is, for a password of random bits, which nobody guesses however fast.
    static let costOfGenerated = 4
    /// The bytes of a password that count. A longer one is refused rather than cut.
    package static let longest = 72
    private static let saltLength = 16

    /// The password could not be hashed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The hash of a password, with a salt of its own.
    /// - Parameter isGenerated: The password was made of random bits by a program, rather than chosen by a person.
    package static func hash(_ password: String, isGenerated: Bool = false) throws(Failure) -> String {
        guard password.utf8.count <= longest, !password.utf8.contains(0) else {
            throw Failure(description: "a NATS broker takes passwords of at most \(longest) bytes")
        }
        return try crypt(password, setting: try setting(cost: isGenerated ? costOfGenerated : cost))
    }

    /// Tells whether the password has that hash.
    package static func matches(_ password: String, hash: String) -> Bool {
        (try? crypt(password, setting: hash)) == hash
    }

    private static func setting(cost: Int) throws(Failure) -> String {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<saltLength).map { _ in CChar.random(in: .min ... .max, using: &generator) }
        var output = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
        let made = unsafe salt.withUnsafeBufferPointer { salt in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe crypt_gensalt_rn("$2b$", UInt(cost), salt.baseAddress, Int32(salt.count), output.baseAddress, Int32(output.count))
                    != nil
            }
        }
        guard made else { throw Failure(description: "the password could not be hashed") }
        return text(output)
    }

    private static func crypt(_ password: String, setting: String) throws(Failure) -> String {
        var state = [UInt8](repeating: 0, count: MemoryLayout<crypt_data>.size)
        let hash: String? = unsafe state.withUnsafeMutableBytes { state in
            guard let hash = unsafe crypt_rn(password, setting, state.baseAddress, Int32(state.count)) else { return nil }
            return unsafe String(cString: hash)
        }
        guard let hash else { throw Failure(description: "the password could not be hashed") }
        return hash
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
