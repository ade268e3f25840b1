import VigilSchema

/// A job as those who follow it see it.
struct JobView: Encodable {
    /// The newest imports of the ledger that a list tells of.
    static let mostEntries = 200

    let id: String
    let name: String
    let size: Int
    let received: Int
    let state: String
    let actor: String
    let begun: Double
    let answers: ImportAnswers
    let findings: [FileFinding]?
    let trial: JobOutcome?
    let outcome: JobOutcome?
    let error: String?
    let progress: JobProgress.Figures?

    /// - Parameters:
    ///   - received: the bytes that are there.
    ///   - present: the progress of the step that is at work; nil where it waits for its turn.
    ///   - isWhole: with what was found, file by file.
    init(_ job: ImportJob, received: Int, present: JobProgress?, isWhole: Bool) {
        (id, name, size, actor, begun, answers) = (job.id, job.name, job.size, job.actor, job.begun, job.answers)
        self.received = job.outcome == nil ? received : job.size
        (findings, error) = (isWhole ? job.findings : nil, job.failure)
        trial = isWhole ? job.trial : job.trial?.summed
        outcome = isWhole ? job.outcome : job.outcome?.summed
        progress = job.wanted == nil || job.wanted == .survey ? nil : present?.figures
        state = Self.state(job, received: received, present: present)
    }

    /// The state in one word: `uploading`, `queued`, `surveying`, `trying`, `importing`, `waiting` (for the timeline), `failed`, `done`, `asks`,
    /// `ready`, `complete` (not looked at yet).
    private static func state(_ job: ImportJob, received: Int, present: JobProgress?) -> String {
        switch job.wanted {
        case .some where present == nil: return "queued"
        case .survey: return "surveying"
        case .trial: return "trying"
        case .start: return present?.figures.silent == nil ? "importing" : "waiting"
        case nil: break
        }
        if job.failure != nil { return "failed" }
        if job.outcome != nil { return "done" }
        if received < job.size { return "uploading" }
        guard let findings = job.findings else { return "complete" }
        return findings.contains { $0.questions.contains(where: \.isRequired) } ? "asks" : "ready"
    }
}

extension JobOutcome {
    /// Without the files one by one.
    var summed: JobOutcome {
        var outcome = self
        outcome.files = []
        return outcome
    }
}

/// The answer to `jobs`.
struct JobList: Encodable {
    let ok = true
    let jobs: [JobView]
    /// The ledger's entries, the newest first; nil where one job was asked for.
    let imports: [LedgerEntry]?
    let undos: [JobStore.Undo]
}

/// The answer to `begin`.
struct Began: Encodable {
    let ok = true
    let job: String
    /// The most bytes of a piece.
    let piece: Int
}

/// The answer to `append`.
struct Received: Encodable {
    let ok = true
    let received: Int
}

/// The answer to `rejects`: CSV, and where the next page begins.
struct RejectsPage: Encodable {
    let ok = true
    let text: String
    let next: Int?
}

/// The answer to `sources`.
struct PollList: Codable {
    var ok = true
    var sources: [PollView]?
    var error: String?
}

/// The answer to what needs no other.
struct Done: Encodable { let ok = true }

/// The answer to what is refused.
struct Refused: Encodable {
    let ok = false
    let error: String
    let code: String
    let received: Int?

    init(_ refusal: JobRefusal) { (error, code, received) = (refusal.words, refusal.code, refusal.received) }
}
