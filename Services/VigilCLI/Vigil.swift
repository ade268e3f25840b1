import Foundation
package import ServiceKit

/// The operator's tool, and every service in one binary.
///
/// Which of them runs is told by the name that the binary was called by (`vigil-timeline` as a symbolic link to it), or by
/// `vigil service NAME`.
package enum Vigil {
    /// The tool with all its subcommands.
    package static let command = Command(
        name: "vigil", summary: "runs Vigil on one machine, and looks into any deployment of it", subcommands: Subcommands.all)

    /// Runs the process as what it was called by.
    package static func main() async -> Never {
        let name = URL(filePath: CommandLine.arguments.first ?? "vigil").lastPathComponent
        await (Suite.command(named: name) ?? command).main()
    }
}
