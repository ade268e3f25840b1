/// A service as a process: settings, logs, metrics, health, module status and exchange, draining; the service adds its parts.
///
/// A service's whole executable:
/// ```swift
/// import ServiceKit
/// import Timeline
/// await TimelineService.command.main()
/// ```
package struct ServiceCommand: Sendable {
    /// For example `vigil-timeline`.
    package let name: String
    package let summary: String
    /// Every setting, the common ones included.
    package let settings: [any AnySetting]
    let details: String
    let build: @Sendable (ServiceContext) async throws -> [ServiceGroup.Member]

    /// Declares a service.
    /// - Parameters:
    ///   - settings: its own settings. Those for logging, the broker, the instance, HTTP and the state folder are added.
    ///   - build: opens what the service needs and returns its members in order of dependency, the consumer last.
    ///     What it throws ends the process with one line.
    package init(
        name: String, summary: String, details: String = "", settings: [any AnySetting] = [],
        build: @escaping @Sendable (ServiceContext) async throws -> [ServiceGroup.Member]
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.settings =
            settings + CommonSettings.broker + CommonSettings.service + CommonSettings.state + CommonSettings.logging
        self.build = build
    }

    /// As a command, to be run or to be a subcommand of another.
    package var command: Command { command(subcommands: []) }

    /// As a command that also has subcommands; without one it runs the service.
    package func command(subcommands: [Command]) -> Command {
        Command(name: name, summary: summary, details: details, settings: settings, subcommands: subcommands) { invocation in
            try await ServiceProcess(service: self, configuration: invocation.configuration).run()
        }
    }

    /// Runs the process.
    package func main() async -> Never { await command.main() }
}
