/// Why something could not be sealed or opened. Says nothing of what is inside.
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
        case .outOfMemory: "there is too little memory to derive the key (64 MiB are needed)"
        }
    }
}
