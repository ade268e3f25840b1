import Foundation

extension Command {
    /// Runs the process: reads its arguments and environment, and ends it with the right exit code.
    ///
    /// Whatever goes wrong is one line on standard error, `name: what`, and an exit code; never a trap.
    package func main(
        arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async -> Never {
        // A reader that has gone away (`vigil watch | head`) is an error of `write`, not a death by signal.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await run(arguments: arguments, environment: environment)
            exit(ExitCode.success.rawValue)
        } catch {
            StandardError.line("\(name): \(error)")
            exit(Self.exitCode(for: error).rawValue)
        }
    }

    /// What the process ends with because of the error.
    package static func exitCode(for error: any Error) -> ExitCode {
        (error as? any ExitCoded)?.exitCode ?? .failure
    }
}
