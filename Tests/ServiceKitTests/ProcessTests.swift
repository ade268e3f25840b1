import Foundation
import TestSupport
import Testing

@testable import ServiceKit

@Suite("A process with services", .timeLimit(.minutes(1)))
struct ProcessTests {
    private let probe = BuiltProgram.url("service-probe")

    @Test("drains in reverse on a stop signal and exits with 0", arguments: [SIGTERM, SIGINT])
    func signal(number: Int32) async throws {
        let child = try ObservedProcess(probe)
        #expect(await child.printed("running"))
        child.signal(number)
        let result = await child.result()
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n").suffix(4)
        #expect(
            lines == [
                "draining(ServiceKit.ServiceGroup.Reason.signal(\(number)))", "ended(\"second\")", "ended(\"first\")", "clean end",
            ])
    }

    @Test("exits at once on a second signal")
    func impatience() async throws {
        let child = try ObservedProcess(probe, ["--behaviour", "ignores", "--deadline", "1h"])
        #expect(await child.printed("running"))
        child.signal(SIGTERM)
        #expect(await child.printed("draining"))
        child.signal(SIGTERM)
        #expect(await child.result().status == 128 + SIGTERM)
    }

    @Test("ends with a failing service's error in one line and its exit code")
    func failure() async throws {
        let result = try await ObservedProcess(probe, ["--behaviour=fails"]).result()
        #expect(result.status == ExitCode.unavailable.rawValue)
        #expect(result.errors == "service-probe: the database does not answer\n")
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
        let result = try await ObservedProcess(probe, arguments, environment: environment).result()
        #expect(result.status == code.rawValue)
        #expect(result.errors.hasPrefix("service-probe: \(words)"))
        #expect(result.errors.filter(\.isNewline).count == 1)
    }
}
