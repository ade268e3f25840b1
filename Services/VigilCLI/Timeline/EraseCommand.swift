import Access
import CSVImport
import Foundation
import MessageBus
import ServiceKit
import Settings
import Timeline
import TimelineStore
import VigilSchema

/// `vigil erase PARTICIPANT`: has every service forget one participant, and says in one table what that removed.
enum EraseCommand {
    private static let yes = Setting("yes", .boolean, default: false, help: "Do not ask first.")
    private static let within = Setting(
        "within", .duration(in: .seconds(1) ... .seconds(86_400)), default: .seconds(3600),
        help: "How long the timeline may take; it reads everything that is stored.")
    private static let verify = Setting(
        "verify", .boolean, default: false,
        help: """
            Then search the files of --state-folder and --also for the name, and for the person's own names and \
            texts; the exit code is 1 if one is found.
            """
    )
    private static let also = Setting(
        "also", .list(of: .path), default: [], help: "Further folders for --verify: the broker's, the database's, rejects, exports.")

    private static let endSessions = Setting(
        "end-sessions", .list(of: .name), default: [],
        help: "Absent clients whose sessions are ended, with everything that waits for them at the broker, including other people's data.")

    static let command = Command(
        name: "erase", summary: "removes everything that is stored of a participant, everywhere, permanently",
        details: """
            Orders every running service to forget the participant, until a whole round finds nothing: devices, \
            alerts with their history, baselines, modules' findings, accounts and assignments of the dashboard, \
            everything stored, and retained messages of the broker. On this machine also the names of imported \
            files, broker accounts and log lines below --state-folder. Messages that wait at the broker for \
            absent clients stay until they return or their sessions end, at the shipped broker after 7 days. The \
            command prints the number of such clients, and --end-sessions ends the sessions that it names \
            (devices and people are named by their accounts). You must type the participant's name, unless --yes \
            is given. Backups, exports and files to import are not changed; --also searches them. First stop or \
            revoke everything that still sends for the participant.
            Exit codes: 0 everything was removed; 1 nothing was stored, you did not confirm, or something is \
            left; 69 the broker or the timeline did not answer.
            """,
        settings: [yes, within, verify, also, endSessions, CommonSettings.stateFolder] + BrokerSession.settings,
        operands: Operands("PARTICIPANT", help: "The participant to forget.")
    ) { invocation in
        let participant = invocation.operands[0]
        guard Name.isValid(participant) else { throw CommandError(.usage, "a participant has 1 to 64 of A-Z a-z 0-9 _ . -") }
        if try !invocation[yes] { try confirm(participant) }
        var suite = try SuiteErasure(invocation, participant: participant, limit: try invocation[within])
        var rounds = ErasureRounds()
        let words = try invocation[verify] ? await PersonalWords(of: participant, asking: suite) : nil
        let folder = try invocation[CommonSettings.stateFolder]
        var rows = try await suite.run(&rounds)
        let sessions = AbsentSessions(session: suite.session)
        for client in try invocation[endSessions] { try await sessions.end(client) }
        rows += try await LocalErasure(stateFolder: folder, participant: participant, imports: rounds.imports).run()
        // Searched for once more, a name that is gone already ends well where nothing of it is found.
        guard try invocation[verify] || rows.contains(where: { !$0.removed.isEmpty || $0.problem != nil }) else {
            throw CommandError(.failure, "nothing is stored of \(participant)")
        }
        for line in ErasureText.lines(rows) { print(line) }
        if let pseudonym = rounds.pseudonym { print("in the audit trail the name is \(pseudonym) from now on") }
        if !rounds.freed.isEmpty {
            print("freed, and overwritten by VACUUM (FULL) in a quiet hour: \(rounds.freed.sorted().joined(separator: ", "))")
        }
        print(try await sessions.told())
        let problems = rows.filter { $0.problem != nil }
        guard problems.isEmpty else {
            throw CommandError(.failure, "\(participant) is not erased everywhere: \(problems.map(\.service).joined(separator: ", "))")
        }
        if let words { try await words.search([folder] + invocation[also], asking: suite) }
        print("\(participant) is erased")
    }

    private static func confirm(_ participant: String) throws(CommandError) {
        let question = "This removes everything that is kept of \(participant), for good. Type \(participant) to go on: "
        try? FileHandle.standardError.write(contentsOf: Data(question.utf8))
        guard readLine()?.trimmingCharacters(in: .whitespaces) == participant else {
            throw CommandError(.failure, "not confirmed; nothing is removed")
        }
    }
}

/// The words that name a person: the participant's name, the person's own names, and what was written of them. Asked for before an erasure,
/// searched for after it.
struct PersonalWords: Sendable {
    /// Texts that only people write; of other metrics many share the same.
    private static let metrics = ["note", "medication-dose", "training-set"]
    private static let always = TimelineQuery.Range(from: Timestamp(seconds: -60_000_000_000), to: Timestamp(seconds: 60_000_000_000))
    /// The length below which a word stands in many a text.
    private static let shortest = 6
    private static let looks = 5

    private let participant: String
    private let words: [String]

    init(of participant: String, asking timeline: SuiteErasure) async throws {
        self.participant = participant
        words = try await [participant] + Self.texts(of: participant, asking: timeline).sorted()
    }

    /// A person's names, and what was written of the person.
    private static func texts(of participant: String, asking timeline: SuiteErasure) async throws -> Set<String> {
        let profile: ParticipantProfile = try await timeline.timeline(.profile(participant: participant))
        let entries: [TimelineEntry] = try await timeline.timeline { try await $0.list(.entries(participant: participant, always)) }
        var texts = [profile.first, profile.last, profile.pseudonym].compactMap(\.self).filter { $0.count > 3 }
        texts += entries.flatMap { [$0.description, $0.text, $0.detail].compactMap(\.self) }.filter { $0.count >= shortest }
        for metric in metrics {
            let page: ReadingsPage = try await timeline.timeline(.readings(participant: participant, metric: metric, always, limit: 1000))
            texts += page.readings.compactMap(\.text).filter { $0.count >= shortest }
        }
        return Set(texts)
    }

    /// The words without those that stand with others too, as a family's name or a medicine does: what is found of these is theirs.
    private func own(asking timeline: SuiteErasure) async throws -> [String] {
        let others: [String] = try await timeline.timeline { try await $0.list(.participants) }
        var own = Set(words.dropFirst())
        for other in others where other != participant && !own.isEmpty && !other.hasPrefix("_module.") {
            own.subtract(try await Self.texts(of: other, asking: timeline))
        }
        return [participant] + own.sorted()
    }

    /// Searches every file below some folders, free pages of databases and logs included.
    /// - Throws: `CommandError` where one of the words is found, or something cannot be read.
    func search(_ folders: [String], asking timeline: SuiteErasure) async throws {
        var (words, search) = (words, LeftoverSearch(words: words))
        var found = search.files(below: folders)
        if !found.places.isEmpty {
            words = try await own(asking: timeline)
            search = LeftoverSearch(words: words)
            found.places = search.places(among: found.places)
        }
        // The broker writes its file once a second.
        for _ in 0..<Self.looks where !found.places.isEmpty {
            try await ContinuousClock().sleep(for: .seconds(1))
            found = search.files(below: folders)
        }
        let common = self.words.count - words.count
        if common > 0 { print("not searched for, as others have the same: \(common) of \(self.words.count) names and texts") }
        for file in found.places { print("still there: \(TerminalText.printable(file))") }
        for file in found.unreadable { print("not searched, as it cannot be read: \(TerminalText.printable(file))") }
        let left = found.places.count + found.unreadable.count
        guard left == 0 else {
            throw CommandError(
                .failure, "\(left) files still name \(participant) or hold what was written of them, or could not be searched")
        }
        print(
            "\(found.searched) files below \(folders.joined(separator: ", ")) were searched for \(words.count) names and texts: none is there"
        )
    }
}

/// The lines that tell what an erasure removed.
enum ErasureText {
    /// By the timeline's tables, in the order in which they are told.
    private static let kinds = [
        ("reading", "readings"), ("waveform", "waveform blocks"), ("correction", "replaced values"), ("rollup_minute", "sums by minute"),
        ("rollup_hour", "sums by hour"), ("rollup_day", "sums by day"), ("entry", "entries"), ("alert_event", "alerts' transitions"),
        ("session", "sessions"), ("profile", "profile"), ("wearer_clock", "changes of the wearer's clock"), ("source", "names of devices"),
        ("participant", "name"),
    ]

    /// A line for each kind of thing, with the service that had it; of the timeline with zeros, so that it shows that every kind was looked at.
    static func lines(_ rows: [ErasureRounds.Row]) -> [String] {
        let cells = rows.flatMap { row in
            let removed =
                row.service == "vigil-timeline" ? timeline(row.removed) : row.removed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            let lines = removed.map { (row.service, $0.0, "\($0.1)") }
            return (lines.isEmpty && row.problem == nil ? [(row.service, "nothing", "")] : lines)
                + (row.problem.map { [(row.service, "NOT CONFIRMED", $0)] } ?? [])
        }
        let (first, second) = (cells.map(\.0.count).max() ?? 0, cells.map(\.1.count).max() ?? 0)
        return cells.map { service, what, count in
            let columns =
                service.padding(toLength: first, withPad: " ", startingAt: 0) + "  "
                + what.padding(toLength: second, withPad: " ", startingAt: 0)
            return count.isEmpty ? columns.trimmingCharacters(in: .whitespaces) : "\(columns)  \(count)"
        }
    }

    private static func timeline(_ rows: [String: Int]) -> [(String, Int)] {
        let others = rows.keys.filter { key in !kinds.contains { $0.0 == key } }.sorted().map { ($0, $0) }
        return (kinds + others).map { ($0.1, rows[$0.0] ?? 0) }
    }
}
