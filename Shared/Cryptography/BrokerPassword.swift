import CCrypto
import Foundation

/// Passwords as Mosquitto keeps them: PBKDF2 with SHA-512, by OpenSSL.
package enum BrokerPassword {
    /// The rounds of the key derivation for a password that a person may have chosen. Mosquitto's own tool makes 101, which is nothing; the 210,000 that
    /// OWASP's Password Storage Cheat Sheet asks for would take the broker, which has one thread, some 95 ms for each login, right or wrong, so that
    /// whoever names an account ten times a second keeps everybody's alarms waiting. These take 9 ms (1,000: 0.5 ms); a length makes up for the rest.
    static let rounds = 20_000
    /// The fewest characters of a password that a person may have chosen.
    package static let fewestCharacters = 12
    /// The rounds for a password of 192 random bits, which nobody guesses however fast: at a billion billion a second, 2¹³¹ seconds. Hundreds of devices and
    /// the services have such.
    static let roundsOfGenerated = 1000
    private static let saltLength = 12
    private static let keyLength = 64

    /// The key could not be derived.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String { "the password could not be hashed" }
    }

    /// The password file's line for an account, with a salt of its own.
    /// - Parameter isGenerated: The password was made of random bits by a program, rather than chosen by a person.
    package static func line(_ name: String, _ password: String, isGenerated: Bool = false) throws(Failure) -> String {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<saltLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return try line(name, password, salt: salt, rounds: isGenerated ? roundsOfGenerated : rounds)
    }

    /// The line for a given salt.
    static func line(_ name: String, _ password: String, salt: [UInt8], rounds: Int) throws(Failure) -> String {
        let words = password.utf8.map { CChar(bitPattern: $0) }
        var key = [UInt8](repeating: 0, count: keyLength)
        let code = unsafe words.withUnsafeBufferPointer { words in
            unsafe salt.withUnsafeBufferPointer { salt in
                unsafe key.withUnsafeMutableBufferPointer { key in
                    unsafe PKCS5_PBKDF2_HMAC(
                        words.baseAddress, Int32(words.count), salt.baseAddress, Int32(salt.count), Int32(rounds), EVP_sha512(),
                        Int32(key.count),
                        key.baseAddress)
                }
            }
        }
        guard code == 1 else { throw Failure() }
        return "\(name):$7$\(rounds)$\(Data(salt).base64EncodedString())$\(Data(key).base64EncodedString())"
    }
}
