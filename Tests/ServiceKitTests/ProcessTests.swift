import Foundation
import TestSupport
import Testing

@testable import ServiceKit
@testable import Settings

@Suite("A process with services", .timeLimit(.minutes(4)))
struct ProcessTests {
    private let folder: TemporaryFolder
    private var errors: String { (try? String(contentsOfFile: folder.path("errors"), encoding: .utf8)) ?? "" }

    init() throws { folder = try TemporaryFolder() }

    private func probe(_ arguments: [String] = [], _ environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            BuiltProgram.path("service-probe"), arguments, output: folder.path("output"), errors: folder.path("errors"),
            environment: environment)
    }

    @Test("drains in reverse on a stop signal and exits with 0", arguments: [SIGTERM, SIGINT])
    func signal(number: Int32) async throws {
        let child = try probe()
        try await eventually("the services to run") { child.output.contains("running") }
        child.signal(number)
        #expect(try await child.waitForExit() == 0)
        let lines = child.output.split(separator: "\n").suffix(4)
        let reason = "draining(ServiceKit.ServiceGroup.Reason.signal(\(number)))"
        #expect(lines == [Substring(reason), "ended(\"second\")", "ended(\"first\")", "clean end"])
    }

    @Test("exits at once on a second signal")
    func impatience() async throws {
        let child = try probe(["--behaviour", "ignores", "--deadline", "1h"])
        try await eventually("the services to run") { child.output.contains("running") }
        child.signal(SIGTERM)
        try await eventually("draining to begin") { child.output.contains("draining") }
        child.signal(SIGTERM)
        #expect(try await child.waitForExit() == 128 + SIGTERM)
    }

    @Test("ends with a failing service's error in one line and its exit code")
    func failure() async throws {
        #expect(try await probe(["--behaviour=fails"]).waitForExit() == ExitCode.unavailable.rawValue)
        #expect(errors == "service-probe: the database does not answer\n")
    }

    @Test(
        "refuses what it does not know, by name",
        arguments: [
            (["--behavior", "obeys"], [:], ExitCode.usage, "unknown option --behavior; did you mean --behaviour?"),
            (["--deadline", "soon"], [:], .usage, "--deadline accepts a duration"),
            (["--deadline"], [:], .usage, "--deadline needs a value"),
            (["extra"], [:], .usage, "unexpected argument \"extra\""),
            ([], ["VIGIL_DEADLIN": "1s"], .configuration, "unknown environment variable VIGIL_DEADLIN; did you mean VIGIL_DEADLINE?"),
            ([], ["VIGIL_BEHAVIOUR": "odd"], .configuration, "VIGIL_BEHAVIOUR accepts one of obeys, fails, ignores, not \"odd\""),
        ])
    func refusals(arguments: [String], environment: [String: String], code: ExitCode, words: String) async throws {
        #expect(try await probe(arguments, environment).waitForExit() == code.rawValue)
        #expect(errors.hasPrefix("service-probe: \(words)"))
        #expect(errors.filter(\.isNewline).count == 1)
    }
}
