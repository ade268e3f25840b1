import DetectorEvaluation
import ServiceKit
import Settings
import StressAnalysis

await EvaluateCommand.stress.main()
