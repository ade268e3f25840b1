import ServiceKit
import Timeline

/// The subcommands of `vigil`. To add one, add a line.
enum Subcommands {
    static let all: [Command] = [
        UpCommand.command,
        PublishCommand.command,
        WatchCommand.command,
        SimulateCommand.command,
        ReplayCommand.command,
        CheckCommand.command,
        ReadyCommand.command,
        AccountsCommand.command,
        TimelineCommands.command(and: [EraseCommand.command]),
        DevicesCommand.command,
        AlertsCommand.command,
        Command(
            name: "service", summary: "runs one service of the suite, as its own executable would",
            subcommands: Suite.services + Suite.tools),
    ]
}
