import Dashboard
import Observability
import ServiceKit
import Settings

await DashboardService.command.main()
