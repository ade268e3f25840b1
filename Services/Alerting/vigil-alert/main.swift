import Alerting
import ServiceKit

await AlertService.command.main()
