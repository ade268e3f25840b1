import HealthModules
import Settings

// vigil-modules with one more module, as somebody else would write it: what it does is told by the readings that it gets.
await ModulesService.command(ModuleRegistry([WeightModule(), ProbeModule()])).main()
