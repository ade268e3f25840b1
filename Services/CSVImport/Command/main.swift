import CSVImport
import ServiceKit
import Settings

await ImportCommand.command.main()
