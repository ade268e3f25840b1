import Synchronization
import Testing

@testable import Settings

@Suite("Commands")
struct CommandTests {
    private static let speed = Setting("speed", .number(in: 0.1...1000), default: 1, help: "How many times real time.")
    private static let loud = Setting("loud", .boolean, default: false, help: "Says more.")

    private final class Calls: Sendable {
        private let all = Mutex<[String]>([])
        func note(_ call: String) { all.withLock { $0.append(call) } }
        var text: String { all.withLock { $0.joined(separator: "\n") } }
    }

    private func tool(_ calls: Calls) -> Command {
        let replay = Command(
            name: "replay", summary: "plays files", settings: [Self.speed, Self.loud],
            operands: Operands("FILE", count: 1...3, help: "Recordings.")
        ) { calls.note("\($0.path) \($0.operands) \(try $0[Self.speed]) \(try $0[Self.loud])") }
        let list = Command(name: "list", summary: "lists accounts") { calls.note($0.path) }
        return Command(
            name: "vigil", summary: "the tool", subcommands: [replay, Command(name: "accounts", summary: "accounts", subcommands: [list])])
    }

    private func run(_ arguments: String...) async throws -> String {
        let calls = Calls()
        try await tool(calls).run(arguments: arguments, environment: [:]) { calls.note($0) }
        return calls.text
    }

    @Test("hands flags and operands to the subcommand, in any order")
    func subcommand() async throws {
        #expect(try await run("replay", "a", "--speed=2", "b", "--loud") == "vigil replay [\"a\", \"b\"] 2.0 true")
        #expect(try await run("replay", "--speed", "0.5", "--", "--odd") == "vigil replay [\"--odd\"] 0.5 false")
        #expect(try await run("accounts", "list") == "vigil accounts list")
    }

    @Test("lets one environment serve all its commands, and refuses a variable that none of them knows")
    func sharedEnvironment() async throws {
        let calls = Calls()
        try await tool(calls).run(arguments: ["accounts", "list"], environment: ["VIGIL_SPEED": "2"]) { calls.note($0) }
        #expect(calls.text == "vigil accounts list")
        let error = await #expect(throws: ConfigurationError.self) {
            try await tool(calls).run(arguments: ["accounts", "list"], environment: ["VIGIL_SPED": "2"])
        }
        #expect(error?.name == "VIGIL_SPED")
    }

    @Test("offers the nearest command for an unknown one")
    func unknown() async {
        let error = await #expect(throws: CommandError.self) { try await run("repaly", "x") }
        #expect(error?.description == "unknown command repaly; did you mean replay?")
        #expect(error?.exitCode == .usage)
    }

    @Test("names the whole way to a list of commands, and runs one under another name")
    func way() async throws {
        let error = await #expect(throws: CommandError.self) { try await run("accounts") }
        #expect(error?.description == "vigil accounts needs a command; vigil accounts --help lists them")
        let calls = Calls()
        try await tool(calls).named("other").run(arguments: ["accounts", "list"], environment: [:])
        #expect(calls.text == "other accounts list")
    }

    @Test("counts its operands")
    func operands() async {
        let few = await #expect(throws: ConfigurationError.self) { try await run("replay") }
        #expect(few?.description == "FILE is missing: Recordings.")
        let many = await #expect(throws: ConfigurationError.self) { try await run("replay", "a", "b", "c", "d") }
        #expect(many?.name == "d")
    }

    @Test("names each option with its default and what it accepts in the help")
    func help() async throws {
        let help = try await run("replay", "--help")
        #expect(help.contains("Usage: vigil replay [OPTIONS] FILE…"))
        #expect(help.contains("--speed X\n        How many times real time. Accepts a number from 0.1 to 1000.0. Default: 1.0."))
        #expect(try await run("--help").contains("accounts  accounts"))
        #expect(try await run("--version").hasPrefix("vigil 0."))
    }
}
