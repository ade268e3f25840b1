import Alerting
import CSVImport
import Dashboard
import DetectorEvaluation
import Foundation
import HealthModules
import SensorIngest
import ServiceKit
package import Settings
import StressAnalysis
import Timeline

/// The operator's tool, and every service in one binary.
///
/// The name that the binary was called by (`vigil-timeline` as a symbolic link to it) selects the one that runs, or
/// `vigil service NAME`.
package enum Vigil {
    /// The tool with all its subcommands.
    package static let command = Command(
        name: "vigil", summary: "runs Vigil on one machine and inspects any deployment", subcommands: Subcommands.all)

    /// Runs the process as what it was called by.
    package static func main() async -> Never {
        let name = URL(filePath: CommandLine.arguments.first ?? "vigil").lastPathComponent
        await (Suite.command(named: name) ?? command).main()
    }
}

/// The subcommands of `vigil`. To add one, add a line.
enum Subcommands {
    static let all: [Command] = [
        UpCommand.command,
        PublishCommand.command,
        WatchCommand.command,
        MCPCommand.command,
        HouseCommand.command,
        HL7Command.command,
        SimulateCommand.command,
        DemoCommand.command,
        ReplayCommand.command,
        CheckCommand.command,
        ReadyCommand.command,
        MapCommand.command,
        MetricsCommand.command,
        TokensCommand.command,
        AccountsCommand.command,
        PeopleCommand.command,
        VaultCommand.command,
        TimelineCommands.command(and: [EraseCommand.command]), AuditCommands.command, PersonalDataCollection.command, EraseCommand.command,
        DevicesCommand.command,
        ModulesCommand.command,
        AlertsCommand.command,
        SharesCommand.command,
        ImportCommand.command.named("import"),
        Command(
            name: "service", summary: "runs one service of the suite, as its own executable would",
            subcommands: Suite.commands),
        GeneratedTexts.completion, GeneratedTexts.manual,
    ]
}

/// The parts of the suite. To add a service or a tool to the one binary and to `vigil up`, add a line here.
enum Suite {
    /// The services that `vigil up` runs, in the order in which they start; each stops before the ones above it.
    static let services: [Command] = [
        TimelineService.command.command,
        AlertService.command.command,
        EvaluateCommand.stress,
        ModulesService.command(),
        SensorIngestService.command.command,
        ImportService.service.command,
        DashboardService.command.command,
    ]

    /// Commands of their own that are in the one binary too.
    static let tools: [Command] = [ImportCommand.command]

    /// The services and tools, each name once: a tool that has its service as a subcommand stands for both.
    static let commands: [Command] = tools + services.filter { service in !tools.contains { $0.name == service.name } }

    /// The words that start a service as a process of its own, behind the program.
    static func words(_ service: Command) -> [String] {
        ["service", service.name] + (tools.contains { $0.name == service.name } ? ["serve"] : [])
    }

    /// Every setting of a service, once.
    static let settings: [any AnySetting] = {
        var seen: Set<String> = []
        return (services + tools).flatMap(\.settings).filter { seen.insert($0.declaration.name).inserted }
    }()

    /// The service or tool of that name.
    static func command(named name: String) -> Command? { commands.first { $0.name == name } }
}
