import Foundation
import Testing

@testable import Settings

@Suite("Completions and manual pages")
struct ShellCompletionTests {
    private static let command = Command(
        name: "tool", summary: "does things",
        subcommands: [
            Command(
                name: "list", summary: "lists what isn't there",
                settings: [Setting("long", .boolean, default: false, help: "It's long. Or not.")],
                subcommands: [Command(name: "all", summary: "lists everything") { _ in }]
            ) { _ in },
            Command(name: "lend", summary: ".starts with a dot, and has a \\ in it") { _ in },
        ])

    /// What bash offers behind some words.
    private func offered(_ words: [String]) throws -> [String] {
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(ShellCompletion.bash.script(for: Self.command))
            COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _tool; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script]
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("bash offers the subcommands and options of the command before the cursor")
    func bash() throws {
        #expect(try offered(["tool", "l"]) == ["list", "lend"])
        #expect(try offered(["tool", "list", ""]) == ["all", "--long", "--help", "--version"])
        #expect(try offered(["tool", "list", "--long", "--l"]) == ["--long"])
        #expect(try offered(["tool", "list", "all", ""]) == ["--help", "--version"])
        #expect(try offered(["tool", "nothing", "le"]) == ["lend"])
    }

    @Test("zsh and fish get every level, with quotes that are escaped")
    func others() {
        #expect(ShellCompletion.zsh.script(for: Self.command).contains(#""tool list" "all --long --help --version""#))
        let fish = ShellCompletion.fish.script(for: Self.command)
        #expect(fish.contains(#"complete -c tool -n '__tool_is_at "tool"' -f -a list -d 'lists what isn\'t there'"#))
        #expect(fish.contains(#"-n '__tool_is_at "tool list"' -l long -d 'It\'s long'"#))
    }

    @Test("there is a page for each command, in which roff finds nothing of its own")
    func manual() throws {
        let pages = ManualPage.all(of: Self.command, version: "1.2")
        #expect(pages.map(\.name) == ["tool.1", "tool-list.1", "tool-list-all.1", "tool-lend.1"])
        #expect(pages[0].text.hasPrefix(#".TH "TOOL" 1 "" "1.2" "Vigil""#) && pages[0].text.contains(".BR tool\\-list (1)"))
        #expect(pages[1].text.contains(".B \"\\-\\-long\"\nIt's long. Or not. Accepts true or false. Default: false."))
        #expect(pages[0].text.contains("\n\\&.starts with a dot, and has a \\e in it"))
        #expect(pages[3].text.contains("tool\\-lend \\- .starts"))
    }
}
