import Alerting
import ServiceKit

await AlertProgram.command.main()
