import CMalloc
import Foundation
package import Observability

/// The way a command ends, after `sysexits.h`.
package enum ExitCode: Int32, Sendable {
    case success = 0
    /// The work could not be done.
    case failure = 1
    /// All was done, but part of the input was refused.
    case someRefused = 3
    /// Part of the input could not be read; the rest was done.
    case someFailed = 4
    /// More of the input was refused than was allowed.
    case tooManyRefused = 5
    /// Nothing was done with part of the input: it can be read in more than one way, and the user has to say which holds.
    case ambiguous = 6
    /// The command line is wrong.
    case usage = 64
    /// Input data is wrong.
    case data = 65
    /// An input file is missing or unreadable.
    case noInput = 66
    /// A service that is needed (broker, database) cannot be reached.
    case unavailable = 69
    /// The configuration is wrong.
    case configuration = 78
}

/// An error that knows how the process ends because of it.
package protocol ExitCoded: Error {
    var exitCode: ExitCode { get }
}

extension HTTPServerError: ExitCoded {
    package var exitCode: ExitCode { .unavailable }
}

/// A command's failure in one line for its user.
package struct CommandError: Error, Sendable, CustomStringConvertible, ExitCoded {
    package let exitCode: ExitCode
    /// The failure and, where there is one, the next step.
    package let description: String

    package init(_ exitCode: ExitCode = .failure, _ description: String) {
        self.exitCode = exitCode
        self.description = description
    }
}

extension Command {
    /// Runs the process: reads its arguments and environment, and ends it with the right exit code.
    ///
    /// Whatever goes wrong is one line on standard error, `name: what`, and an exit code; never a trap.
    package func main(
        arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async -> Never {
        // What any of its programs writes is health data or a secret, and nobody else's to read: databases, rejects, exports, downloads, spools.
        umask(0o077)
        // A reader that has gone away (`vigil watch | head`) is an error of `write`, not a death by signal.
        signal(SIGPIPE, SIG_IGN)
        // One heap for all threads, so that what one frees another takes: each with its own, a service with 20,000 people takes half as much again.
        vigil_keep_one_heap()
        do {
            try await run(arguments: arguments, environment: environment)
            try StandardOutput.finish()
            exit(ExitCode.success.rawValue)
        } catch {
            StandardError.line("\(name): \(Self.text(of: error))")
            exit(Self.exitCode(for: error).rawValue)
        }
    }

    /// An error in words: of what Foundation throws the reason and the file, where it would tell all its fields.
    package static func text(of error: any Error) -> String {
        guard let error = error as? CocoaError else { return "\(error)" }
        let reason = error.cause.map { unsafe String(cString: strerror($0.rawValue)) } ?? error.localizedDescription
        return (error.filePath.map { "\($0): " } ?? "") + reason
    }

    /// The exit code that the error leads to.
    package static func exitCode(for error: any Error) -> ExitCode {
        (error as? any ExitCoded)?.exitCode ?? .failure
    }
}

extension CocoaError {
    /// The operating system's own code, where there is one: Foundation hands it on in one of two forms.
    var cause: POSIXErrorCode? {
        let cause = unsafe userInfo[NSUnderlyingErrorKey]
        if let error = cause as? POSIXError { return error.code }
        guard let error = cause as? NSError, error.domain == NSPOSIXErrorDomain else { return nil }
        return POSIXErrorCode(rawValue: Int32(error.code))
    }
}
