import Alerting

await AlertProgram.command.main()
