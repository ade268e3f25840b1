import Foundation
import ServiceKit

/// A program could not be started.
struct ProcessError: Error, CustomStringConvertible, ExitCoded {
    let program: String
    /// The system's error number.
    let number: Int32

    var exitCode: ExitCode { .unavailable }
    var description: String { "\(program) could not be started: \(String(cString: strerror(number)))" }
}
