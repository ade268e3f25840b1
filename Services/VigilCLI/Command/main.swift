import VigilCLI

await Vigil.main()
