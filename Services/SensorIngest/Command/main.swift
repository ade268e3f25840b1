import SensorIngest
import ServiceKit

await SensorIngestService.command.main()
