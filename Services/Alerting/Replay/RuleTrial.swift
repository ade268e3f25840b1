package import AlertRules
import Foundation
import ServiceKit
package import Settings

/// `test`: plays recorded, stored or given readings against rules, and compares what happens with what should.
package enum RuleTrial {
    private static let naive = Setting(
        "naive", .boolean, default: false, help: "Compare with the same limits without delays, dead bands, repetition and quality.")
    private static let burden = Setting(
        "burden", .boolean, default: false, help: "Print alarms per person-day and missed crossings, by rule.")
    private static let quiet = Setting("quiet", .boolean, default: false, help: "Print totals only, not each transition.")

    /// - Parameter stored: nil where no store can be read.
    package static func command(stored: StoredReadings?) -> Command {
        Command(
            name: "test", summary: "plays recordings against rules, and runs tests of rules",
            details: """
                A FILE that ends in .json5 holds tests: readings or recordings, and the transitions that they \
                must cause. The exit code is 1 if they cause others. Any other FILE is a recording: a canonical \
                batch per line, or CSV with participant-id, timestamp and a column per metric.
                """,
            settings: [AlertService.rules, naive, quiet, burden] + (stored?.settings ?? []),
            operands: Operands("FILE", count: 0...10_000, help: "Tests and recordings.")
        ) { invocation in
            let tests = invocation.operands.filter { $0.hasSuffix(".json5") }
            let recordings = invocation.operands.filter { !$0.hasSuffix(".json5") }
            let range = try stored?.range(invocation)
            guard !invocation.operands.isEmpty || range != nil else {
                let index = stored == nil ? "" : ", or --participant, --from and --to"
                throw CommandError(.usage, "nothing to play: name test files or recordings\(index)")
            }
            if !recordings.isEmpty || range != nil { try await play(recordings, range, stored, invocation) }
            if !tests.isEmpty { try await run(tests, stored, invocation) }
        }
    }

    private static func play(
        _ recordings: [String], _ range: RuleTest.StoredRange?, _ stored: StoredReadings?, _ invocation: Invocation
    ) async throws {
        let rules = try AlertTools.rules(try RuleFolder.read(try invocation[AlertService.rules]))
        var readings: [ReplayReading] = []
        for path in recordings { readings += try AlertTools.recording(path) }
        if let range, let stored { readings += try await stored.read(invocation, range) }
        let result = try RuleReplay.run(rules: rules, readings: readings)
        if try !invocation[quiet] { for event in result.events { print(AlertTools.line(event)) } }
        print(result.summary)
        if try invocation[burden] { print("\n\(AlarmBurden(rules, result, readings).table)") }
        if try invocation[naive] { print(result.comparison(try RuleReplay.run(rules: rules.naive, readings: readings))) }
    }

    private static func run(_ files: [String], _ stored: StoredReadings?, _ invocation: Invocation) async throws {
        var (count, failed) = (0, 0)
        for path in files {
            let text = try RuleFolder.read(path)[0]
            if let routes = try AlertTools.reading({ () throws(RuleError) in try RouteTestFile.read(text) }) {
                count += routes.tests.count
                failed += try routes.run(rules: [invocation[AlertService.rules]])
                continue
            }
            let file = try AlertTools.reading { () throws(RuleError) in try RuleTestReader.read(text) }
            let paths = try file.rules.isEmpty ? [invocation[AlertService.rules]] : file.rules
            let rules = try AlertTools.rules(try paths.flatMap { path throws(CommandError) in try RuleFolder.read(path) })
            for test in file.tests {
                count += 1
                let result = try await result(of: test, rules, stored, invocation, path)
                if !result.hasPassed { failed += 1 }
                print(report(test, result))
            }
        }
        guard failed == 0 else { throw CommandError(.failure, "\(failed) of \(count) tests failed") }
        print("\(count) tests passed")
    }

    private static func result(
        of test: RuleTest, _ rules: RuleSet, _ stored: StoredReadings?, _ invocation: Invocation, _ path: String
    ) async throws -> RuleTestResult {
        var readings = test.readings
        for recording in test.recordings { readings += try AlertTools.recording(recording) }
        if let range = test.stored {
            guard let stored else {
                throw CommandError(.usage, "\(path): \"store\" can be read by vigil alerts test only, not by vigil-alert test")
            }
            readings += try await stored.read(invocation, range)
        }
        do throws(CommandRefusal) {
            return try test.run(rules: rules, readings: readings)
        } catch {
            throw CommandError(.data, "\(test.name): a command is refused: \(error.reason)")
        }
    }

    private static func report(_ test: RuleTest, _ result: RuleTestResult) -> String {
        guard !result.hasPassed else { return "ok    \(test.name)" }
        let lines = result.lines.map { line in
            switch line {
            case .same(let text): "        \(text)"
            case .missing(let text): "      - \(text)  (expected, did not happen)"
            case .unexpected(let text): "      + \(text)  (happened, not expected)"
            }
        }
        return (["FAIL  \(test.name)"] + lines).joined(separator: "\n")
    }
}

/// Reads what a store holds of a participant, for `test`. The service itself knows no timeline: whoever links both hands this in.
package struct StoredReadings: Sendable {
    package typealias Range = RuleTest.StoredRange

    /// The settings that name the store, and a range of it.
    package let settings: [any AnySetting]
    /// The range that the command line names; nil: none.
    package let range: @Sendable (Invocation) throws -> Range?
    /// Reads numbers and texts, earliest first.
    package let read: @Sendable (Invocation, Range) async throws -> [ReplayReading]

    package init(
        settings: [any AnySetting], range: @escaping @Sendable (Invocation) throws -> Range?,
        read: @escaping @Sendable (Invocation, Range) async throws -> [ReplayReading]
    ) {
        self.settings = settings
        self.range = range
        self.read = read
    }
}
