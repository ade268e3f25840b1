import ServiceKit
import Settings
import StressAnalysis

await StressService.command.main()
