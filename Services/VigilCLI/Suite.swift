import Alerting
import CSVImport
import SensorIngest
import ServiceKit
import StressAnalysis
import Timeline

/// What the suite consists of. To add a service or a tool to the one binary and to `vigil up`, add a line here.
enum Suite {
    /// The services that `vigil up` runs, in the order in which they start; each stops before the ones above it.
    static let services: [Command] = [
        TimelineService.command.command,
        AlertService.command.command,
        StressService.command,
        SensorIngestService.command.command,
    ]

    /// Commands of their own that are in the one binary too.
    static let tools: [Command] = [ImportCommand.command]

    /// Every setting of a service, once.
    static let settings: [any AnySetting] = {
        var seen: Set<String> = []
        return (services + tools).flatMap(\.settings).filter { seen.insert($0.declaration.name).inserted }
    }()

    /// The service or tool of that name.
    static func command(named name: String) -> Command? { (services + tools).first { $0.name == name } }
}
