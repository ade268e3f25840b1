import AlertRules
import Alerting
import Foundation
import Observability
import ServiceKit
import Settings
import Timeline
import TimelineStore
import VigilSchema

/// `vigil alerts tune`: what other limits and delays of a rule would have done with a person's stored readings.
enum AlertTuning {
    private static let from = Setting.optional("from", TimeText.format, help: "The start of the range; 90 days before now by default.")
    private static let to = Setting.optional("to", TimeText.format, help: "The end of the range; now by default.")
    /// So many readings and their copies take some 500 MB.
    private static let mostReadings = 4_000_000

    static let command = Command(
        name: "tune", summary: "shows what other limits and delays of a rule would have done to a person's alarms",
        details: """
            Plays the stored readings against the rule with its limits tightened and eased by steps of half its dead \
            band, each with three delays. The earlier two thirds choose the proposal, the last third shows what \
            it would have done on days that did not choose it. Nothing is changed: the last line is the command \
            that a person who may decide it gives. Limits that were set for the person alone, and rules of other \
            files that inhibit this one, are not known here.
            """,
        settings: [AlertService.rules, from, to] + CommonSettings.database,
        operands: Operands("PARTICIPANT RULE", count: 2...2, help: "The participant and the rule.")
    ) { invocation in
        let files = try RuleFolder.read(try invocation[AlertService.rules])
        let (participant, id) = (invocation.operands[0], invocation.operands[1])
        let rules = try AlertTools.rules(ownFile(of: id, files))
        guard let rule = rules.rule(named: id) else { throw CommandError(.usage, rules.unknownRule(id).description) }
        let store = try TimelineCommands.openStore(invocation)
        let end = try invocation[to]?.moment(now: .now) ?? .now
        let start = try invocation[from]?.moment(now: .now) ?? Timestamp.now.advanced(bySeconds: -90 * 86_400)
        let range = RuleTest.StoredRange(participant: participant, from: start.microseconds, to: end.microseconds)
        let readings = try await AlertTrial.readings(of: store, range, metrics: rules.inputs(of: rule).sorted(), most: mostReadings)
        let known = try await store.people().first { $0.participant == participant }?.profile
        await store.close()
        guard !readings.isEmpty else {
            let inputs = rules.inputs(of: rule).sorted().joined(separator: ", ")
            throw CommandError(.noInput, "nothing is stored of \(participant) that \(id) reads: \(inputs)")
        }
        let middle = Timestamp(microseconds: start.microseconds / 2 + end.microseconds / 2)
        do throws(CommandRefusal) {
            let tuning = try RuleTuning(id, in: rules, of: person(participant, known, at: middle), readings)
            for line in lines(tuning, participant, id, count: readings.count) { guard StandardOutput.line(line) else { return } }
        } catch {
            throw CommandError(.usage, error.reason)
        }
    }

    /// The file of a rule, which alone is played: the others would only take time.
    private static func ownFile(of id: String, _ files: [RuleFile]) -> [RuleFile] {
        files.first { (try? RuleSetReader.read([$0]))?.rule(named: id) != nil }.map { [$0] } ?? files
    }

    private static func person(_ participant: String, _ known: ParticipantProfile?, at middle: Timestamp) -> RuleTuning.Person {
        guard let known else { return RuleTuning.Person(participant: participant) }
        let born = known.birthDate.flatMap { DateTimeText($0 + "T00:00:00Z") }?.time.seconds
        let profile = CommandMessage.Profile(born: born, pregnant: known.isPregnant, height: known.height)
        return RuleTuning.Person(participant: participant, age: born.map { (middle.seconds - $0) / 31_557_600 }, profile: profile)
    }

    // MARK: Words

    private static func lines(_ tuning: RuleTuning, _ participant: String, _ id: String, count: Int) -> [String] {
        let worst = tuning.severities.last?.name ?? ""
        var lines = [
            "\(count) readings of \(participant), \(id) (\(tuning.severities.map(\.name).joined(separator: "/"))).",
            "A crossing lasts two minutes or longer beyond the \(worst) limit as it stands.",
            "The earlier two thirds of the time choose; the later third only judges.", "",
            "| limits | longer by | alarms a day: earlier | later | crossings missed: earlier | later | told after (median) |",
            "|---|---|---|---|---|---|---|",
        ]
        lines += tuning.candidates.map(row)
        return lines + [""] + conclusion(tuning, participant, id)
    }

    private static func row(_ candidate: RuleTuning.Candidate) -> String {
        let (early, late) = (candidate.early, candidate.late)
        let mark = candidate.isPresent ? " (now)" : ""
        let limits = candidate.limits.map { AlertTexts.number($0) }.joined(separator: "/")
        let delays = (early.delays + late.delays).sorted()
        let median = delays.isEmpty ? "–" : "\(Int(delays[delays.count / 2].rounded())) s"
        return "| \(limits)\(mark) | \(candidate.delay) s | \(rate(early)) | \(rate(late)) | \(early.missed) of \(early.crossings) "
            + "| \(late.missed) of \(late.crossings) | \(median) |"
    }

    private static func rate(_ outcome: RuleTuning.Outcome) -> String {
        AlertTexts.number(outcome.alarmsPerDay)
    }

    private static func conclusion(_ tuning: RuleTuning, _ participant: String, _ id: String) -> [String] {
        guard let present = tuning.present, let proposal = tuning.proposal else {
            return ["No proposal: no crossing happened in the earlier part, so it cannot show what an eased limit would miss."]
        }
        guard proposal != present else { return ["The rule as it stands is the best of these."] }
        let gain =
            "\(rate(present.late)) → \(rate(proposal.late)) alarms a day on the later days, crossings missed there "
            + "\(present.late.missed) → \(proposal.late.missed) of \(present.late.crossings)."
        let commands = zip(tuning.severities, proposal.limits).filter { _ in proposal.steps != 0 }.map { severity, limit in
            "  vigil alerts threshold \(participant) \(id) --severity \(severity.name) --value \(AlertTexts.number(limit)) --reason '…'"
        }
        let delay = proposal.delay > 0 ? ["  and in the rule's file a \"for\" that is longer by \(proposal.delay) s"] : []
        return ["Proposed, for somebody to decide: \(gain)"] + commands + delay
    }
}
