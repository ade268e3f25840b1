import Foundation
import MessageBus
import Settings
import Timeline
import TimelineStore
import VigilSchema

/// `vigil timeline erase PARTICIPANT`: has everything about one participant removed.
enum EraseCommand {
    private static let yes = Setting("yes", .boolean, default: false, help: "Does not ask first.")
    private static let within = Setting(
        "within", .duration(in: .seconds(1) ... .seconds(86_400)), default: .seconds(3600),
        help: "How long the timeline may take; it reads through all that is stored.")

    private static let verify = Setting(
        "verify", .boolean, default: false,
        help:
            "Searches the files of --state-folder afterwards for the name, and for the person's names and texts; ends with 1 where one is found."
    )

    static let command = Command(
        name: "erase", summary: "Removes everything that is stored of a participant, for good.",
        details: """
            Asks vigil-timeline over the broker; the participant's name must be typed in, unless --yes is given. Prints what was removed by \
            kind. The retained newest readings go too. Not reached are backups, exports, files to import, what sensors still send, and what \
            other services remember: end alerts before, by `vigil alerts clear PARTICIPANT all`.
            Ends with 0 when all is removed, 1 when nothing was stored or it was not confirmed, 69 when the broker or the timeline did not answer.
            """,
        settings: [yes, within, verify, CommonSettings.stateFolder] + BrokerSession.settings,
        operands: Operands("PARTICIPANT", help: "Whose timeline.")
    ) { invocation in
        let participant = invocation.operands[0]
        guard Name.isValid(participant) else { throw CommandError(.usage, "a participant has 1 to 64 of A-Z a-z 0-9 _ . -") }
        if try !invocation[yes] { try confirm(participant) }
        let words =
            try invocation[verify] ? await ask(.profile(participant: participant), invocation) as ParticipantProfile : nil
        let report: ErasureReport = try await ask(.erase(participant: participant), invocation)
        // Searched for once more, a name that is gone already ends well where nothing of it is found.
        guard try !report.rows.isEmpty || invocation[verify] else {
            throw CommandError(.failure, "nothing is stored of \(participant)")
        }
        for line in ErasureText.lines(report) { print(line) }
        if let pseudonym = report.pseudonym { print("in the audit trail the name is \(pseudonym) from now on") }
        if try invocation[verify] { try search(participant, words, in: URL(filePath: invocation[CommonSettings.stateFolder])) }
        print("\(participant) is erased")
    }

    /// Searches every file below a folder, free pages of databases and logs included.
    private static func search(_ participant: String, _ profile: ParticipantProfile?, in folder: URL) throws(CommandError) {
        let names = [profile?.first, profile?.last].compactMap(\.self).filter { $0.count > 3 }
        let search = LeftoverSearch(words: [participant] + names)
        let found = search.files(below: folder)
        for file in found.places { print("still there: \(TerminalText.printable(file))") }
        for file in found.unreadable { print("not searched, as it cannot be read: \(TerminalText.printable(file))") }
        guard found.places.isEmpty, found.unreadable.isEmpty else {
            throw CommandError(
                .failure,
                "\(found.places.count) files still name \(participant): end its alerts, stop the services that remember it, and look again")
        }
        print("\(found.searched) files below \(folder.path) were searched: none names \(participant)")
    }

    private static func confirm(_ participant: String) throws(CommandError) {
        let question = "This removes everything that is stored of \(participant), for good. Type \(participant) to go on: "
        try? FileHandle.standardError.write(contentsOf: Data(question.utf8))
        guard readLine()?.trimmingCharacters(in: .whitespaces) == participant else {
            throw CommandError(.failure, "not confirmed; nothing is removed")
        }
    }

    private static func ask<Result: Codable & Sendable>(_ query: TimelineQuery, _ invocation: Invocation) async throws -> Result {
        let session = try BrokerSession(invocation, command: "timeline")
        let limit = try invocation[within]
        let payload = [UInt8](try JSONEncoder().encode(TimelineRequest(query)))
        let answer: [UInt8]
        do {
            answer = try await session.requesting(answersBelow: session.answerTopic) { requester in
                try await requester.request(timeout: limit) { responseTopic in
                    OutgoingMessage(
                        topic: Topic.request(answeredOn: responseTopic, service: "timeline").path, payload: payload,
                        properties: MessageProperties(contentType: MediaType.json))
                }.payload
            }
        } catch let error as BusError where error.code == .timedOut {
            throw CommandError(.unavailable, "no answer within \(limit); vigil-timeline may still be at work, or not be running: ask again")
        }
        do {
            return try TimelineResponse<Result>(decoding: answer).get()
        } catch let failure as TimelineResponse<Result>.Failure {
            throw CommandError(["bad-request": .usage, "refused": .failure][failure.code] ?? .unavailable, failure.reason)
        }
    }
}

/// The lines that tell what an erasure removed.
enum ErasureText {
    /// By the table's name, in the order in which they are told.
    private static let kinds = [
        ("reading", "readings"), ("waveform", "waveform blocks"), ("correction", "replaced values"), ("rollup_minute", "sums by minute"),
        ("rollup_hour", "sums by hour"), ("rollup_day", "sums by day"), ("entry", "entries"), ("alert_event", "alerts' transitions"),
        ("session", "sessions"), ("profile", "profile"), ("participant", "name"),
    ]

    /// A line for each kind, with zeros, so that it shows that every kind was looked at; a table without a name here by its own.
    static func lines(_ report: ErasureReport) -> [String] {
        let others = report.rows.keys.filter { key in !kinds.contains { $0.0 == key } }.sorted().map { ($0, $0) }
        let all = kinds + others
        let width = all.map(\.1.count).max() ?? 0
        return all.map { table, words in
            words.padding(toLength: width, withPad: " ", startingAt: 0) + "  \(report.rows[table] ?? 0)"
        }
    }
}
