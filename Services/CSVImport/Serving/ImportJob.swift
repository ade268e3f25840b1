import Foundation
import VigilSchema

/// A file on its way into the timeline, from its upload on. It is kept on disk at each step and survives a restart.
struct ImportJob: Codable, Hashable, Sendable {
    /// Work that is asked for and not yet done.
    enum Step: String, Codable, Sendable {
        case survey
        case trial = "try"
        case start

        /// A Boolean value that indicates whether the timeline is needed for it.
        var needsTimeline: Bool { self == .start }
    }

    /// A ULID.
    let id: String
    /// The file's name without folders, as whoever sent it called it.
    let name: String
    /// Its length in bytes.
    let size: Int
    /// The account at the broker that began it, to which alone it exists.
    let account: String
    /// The person who began it.
    let actor: String
    /// Unix seconds.
    let begun: Double
    /// The time of the last request about it, or of the end of its last step, in Unix seconds.
    var touched: Double
    var answers = ImportAnswers()
    var wanted: Step?
    /// The moment at which the step was asked for; gives the order of the queue.
    var asked: Double = 0
    /// The number of times that the step was begun.
    var attempts = 0
    /// The findings about the files in it, once looked at.
    var findings: [FileFinding]?
    /// The outcome of the latest dry run.
    var trial: JobOutcome?
    /// The outcome of the import.
    var outcome: JobOutcome?
    /// The reason why the last step failed.
    var failure: String?

    /// Begins a step with these answers.
    mutating func want(_ step: Step, _ answers: ImportAnswers, now: Double) {
        (wanted, self.answers, asked, touched) = (step, answers, now, now)
        (attempts, failure) = (0, nil)
        if step == .survey { (findings, trial) = (nil, nil) }
        if step == .trial { trial = nil }
    }

    /// Ends the step that was wanted.
    mutating func end(now: Double, failure: String? = nil) {
        (wanted, touched, self.failure) = (nil, now, failure)
    }
}

extension ImportAnswers {
    private static let mostUnits = 200
    private static let longest = 200

    /// The options for reading.
    /// - Throws: `JobRefusal` with what is wrong, in words.
    func options() throws(JobRefusal) -> ImportOptions {
        var options = ImportOptions()
        if let participant {
            guard Name.isValid(participant) else { throw .malformed("the participant is 1 to 64 of A-Z a-z 0-9 _ . -") }
            options.participant = participant
        }
        if let zone {
            guard zone.utf8.count <= Self.longest, WearerZone(zone) != nil else {
                throw .malformed("the time zone is UTC, an offset such as +02:00, or a name such as Europe/Berlin")
            }
            options.zone = zone
        }
        if let dateOrder {
            guard let order = ImportSettings.DateOrder(rawValue: dateOrder) else { throw .malformed("the order of dates is dmy or mdy") }
            options.dateFormats = order == .dayFirst ? TimeFormat.dayFirst : TimeFormat.monthFirst
        }
        let texts = (units ?? [:]).flatMap { [$0.key, $0.value] } + (columns ?? [])
        guard (units ?? [:]).count <= Self.mostUnits, (columns ?? []).count <= Self.mostUnits,
            texts.allSatisfy({ $0.utf8.count <= Self.longest })
        else { throw .malformed("too many units or columns, or one with a name of more than \(Self.longest) bytes") }
        for (header, word) in units ?? [:] { options.answer(word, of: header) }
        options.columns = columns ?? []
        return options
    }

    /// The profile that is chosen: one of the built-in ones, never a file.
    func chosenProfile() throws(JobRefusal) -> Profile? {
        guard let profile else { return nil }
        guard let known = BuiltIn.profiles.first(where: { $0.name == profile }) else {
            throw .malformed("there is no profile of that name")
        }
        return known
    }

    /// A surveyor that reads as the answers say.
    func surveyor() throws(JobRefusal) -> Surveyor {
        let options = try options()
        return try chosenProfile().map { Surveyor(chosen: $0, options: options) } ?? Surveyor(options: options)
    }
}

/// The outcome of a dry run or an import, every cell of each file accounted for.
struct JobOutcome: Codable, Hashable, Sendable {
    /// One file's part.
    struct File: Codable, Hashable, Sendable {
        var name: String
        /// The ledger's id, by which it can be undone; nil for a dry run.
        var id: String?
        var rows = 0
        var accepted = 0
        var rejected = 0
        var empty = 0
        var ignored = 0
        var stored = 0
        var duplicates = 0
        var corrections = 0
        /// Observations that the store refused.
        var refused = 0
        /// Entries that people made.
        var entries = 0
        /// It was imported before.
        var isKnown = false
        var notes: [String] = []
        var failure: String?
    }

    /// The most files that are told one by one.
    static let mostFiles = 100

    /// All files together.
    var total = File(name: "")
    /// The number of files.
    var count = 0
    var failures = 0
    /// The first files, and all that failed among them.
    var files: [File] = []

    mutating func add(_ file: File) {
        count += 1
        if file.failure != nil { failures += 1 }
        total.rows += file.rows
        total.accepted += file.accepted
        total.rejected += file.rejected
        total.empty += file.empty
        total.ignored += file.ignored
        total.stored += file.stored
        total.duplicates += file.duplicates
        total.corrections += file.corrections
        total.refused += file.refused
        total.entries += file.entries
        if files.count < Self.mostFiles { files.append(file) }
    }
}

/// The reason why a request about jobs is not carried out, in words for the asker.
struct JobRefusal: Error, Hashable, Sendable {
    /// For programs: `unknown-job`, `malformed`, `full`, `busy`, `wrong-offset`.
    let code: String
    let words: String
    /// The bytes that are there, for one that sends a piece which does not follow.
    var received: Int?

    static let unknown = JobRefusal(code: "unknown-job", words: "there is no such job")
    static func malformed(_ words: String) -> JobRefusal { JobRefusal(code: "malformed", words: words) }
    static func full(_ words: String) -> JobRefusal { JobRefusal(code: "full", words: words) }
    static func busy(_ words: String) -> JobRefusal { JobRefusal(code: "busy", words: words) }
}
