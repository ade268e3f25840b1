import ServiceKit
import StressAnalysis

await StressService.command.main()
