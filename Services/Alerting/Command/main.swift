import Alerting
import ServiceKit
import Settings

await AlertProgram.command.main()
