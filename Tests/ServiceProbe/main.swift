import ServiceKit
import Settings

// A process for the tests of signals and exit codes: two services, the second of which drains as its option says.
await ProbeCommand.command.main()
