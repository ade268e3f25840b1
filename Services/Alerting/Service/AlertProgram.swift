import Foundation
import ServiceKit
package import Settings

/// The executable: the service itself, or one of its tools.
package enum AlertProgram {
    package static let command = Command(
        name: AlertService.command.name, summary: AlertService.command.summary,
        settings: AlertService.command.settings, subcommands: [AlertTools.check, RuleTrial.command(stored: nil)]
    ) { _ in
        try await AlertService.command.command.run(
            arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
    }
}
