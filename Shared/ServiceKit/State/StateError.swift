package import SQLiteDatabase

/// Why a service's state cannot be opened.
package enum StateError: Error, Sendable, CustomStringConvertible, ExitCoded {
    /// The folder or file cannot be made or opened.
    case unusable(path: String, reason: String)
    /// The file was written by a newer version.
    case newer(path: String, version: Int, known: Int)
    /// A migration failed.
    case migration(path: String, version: Int, SQLiteError)

    package var exitCode: ExitCode { .unavailable }

    package var description: String {
        switch self {
        case .unusable(let path, let reason): "the state file \(path) cannot be used: \(reason)"
        case .newer(let path, let version, let known):
            "the state file \(path) has version \(version), this program knows up to \(known): run the newer program"
        case .migration(let path, let version, let error): "the state file \(path) could not be brought to version \(version): \(error)"
        }
    }
}
