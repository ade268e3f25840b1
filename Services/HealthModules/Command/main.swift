import HealthModules
import ServiceKit

await ModulesService.command().main()
