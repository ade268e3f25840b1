import Foundation
import MessageBus
package import Settings
import VigilSchema

/// `vigil-import`: imports files into the timeline.
package enum ImportCommand {
    package static let command = Command(
        name: "vigil-import", summary: "imports CSV and other health files into the timeline, each row once",
        details: """
            PATH is a file (also .gz, .zip, or Apple Health's export.zip), a folder, - for standard input, or an \
            http(s) URL. A URL that ends in / means 1.csv, 2.csv, … until one is missing.
            Exit codes: 0 everything was imported; 3 some cells were refused, or may have replaced another \
            sensor's; 4 some files could not be imported; 5 a file had more refused cells than --max-errors; 6 \
            some files were left out because a unit or a date is ambiguous; 69 the broker or the store does not \
            answer.
            """,
        settings: ImportSettings.reading + ImportSettings.running + ImportSettings.ledger + CommonSettings.broker,
        operands: Operands("PATH", count: 1...100_000, help: "a file, a folder, - or a URL"),
        subcommands: [
            SniffCommand.command, ListCommand.command, UndoCommand.command, SourcesCommand.command, PatientsCommand.command,
            ImportService.command,
        ]
    ) { invocation in
        try await ImportRun(invocation).run()
    }

    /// The path of the ledger within a state folder.
    package static func ledgerPath(stateFolder: String) -> String { "\(stateFolder)/vigil-import.state.sqlite" }
}

extension ImportError: ExitCoded {
    /// The exit codes; the command's help lists them.
    package var exitCode: ExitCode {
        switch code {
        case .usage: .usage
        case .source: .noInput
        case .format: .data
        case .ambiguous: .ambiguous
        case .ledger, .sink: .unavailable
        case .tooManyRejects: .tooManyRefused
        }
    }
}

/// The lowest scheduling priority, behind the services with live data.
enum BackgroundPriority {
    private static let niceness: Int32 = 10

    /// Sets the priority of the process. Linux counts niceness by thread, and a new thread inherits that of its
    /// creator.
    static func take() {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        for thread in threads.compactMap({ id_t($0) }) { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), thread, niceness) }
    }
}
