import HealthModules
import Settings

await ModulesService.command().main()
