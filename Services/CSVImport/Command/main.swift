import CSVImport
import ServiceKit

await ImportCommand.command.main()
