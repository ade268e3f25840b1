import ServiceKit
import Timeline

await TimelineService.command.main()
