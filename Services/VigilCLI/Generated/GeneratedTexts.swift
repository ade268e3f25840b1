import Foundation
import Observability
import Settings

/// `vigil completion` and `vigil manual`: what a package installs beside the program, made from the same declarations as `--help`.
enum GeneratedTexts {
    static let completion = Command(
        name: "completion", summary: "prints the script with which a shell completes vigil's commands and options",
        details: "For this session: source <(vigil completion bash). The Debian package installs the scripts.",
        operands: Operands("SHELL", help: ShellCompletion.allCases.map(\.rawValue).joined(separator: ", "))
    ) { invocation in
        let names = ShellCompletion.allCases.map(\.rawValue)
        guard let shell = invocation.operands.first.flatMap(ShellCompletion.init(rawValue:)) else {
            throw CommandError(.usage, "there are completions for \(names.joined(separator: ", "))")
        }
        print(shell.script(for: Vigil.command))
    }

    static let manual = Command(
        name: "manual", summary: "writes the manual pages of every command into a folder",
        operands: Operands("FOLDER", help: "Created if missing; read a page with man -l FOLDER/vigil.1.")
    ) { invocation in
        let folder = URL(filePath: invocation.operands[0])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let pages = ManualPage.all(of: Vigil.command, version: BuildInfo.current.version)
        for page in pages { try Data(page.text.utf8).write(to: folder.appending(path: page.name)) }
        print("\(pages.count) pages in \(folder.path)")
    }
}
