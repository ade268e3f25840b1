/// Something that somebody did, as the audit trail keeps it: who, what, of whom, when, and how it ended. Never a value that was measured.
public struct AuditEntry: Hashable, Sendable, Codable {
    /// The time at which it was done.
    public var time: Timestamp
    /// The account, or `local:NAME` for somebody at the command line of the machine.
    public var actor: String
    /// The network address that it was done from, where that is known.
    public var address: String?
    /// For example `page`, `export`, `erase`, `sign-in`.
    public var operation: String
    /// The participant whom it concerned.
    public var participant: String?
    /// The detail: a metric, a range, a format. Without names.
    public var detail: String?
    /// `ok`, or the code of the failure.
    public var outcome: String

    /// Makes an entry.
    public init(
        time: Timestamp, actor: String, address: String? = nil, operation: String, participant: String? = nil, detail: String? = nil,
        outcome: String = "ok"
    ) {
        self.time = time
        self.actor = actor
        self.address = address
        self.operation = operation
        self.participant = participant
        self.detail = detail
        self.outcome = outcome
    }

    /// Checks what the types do not say.
    public func validate() throws(PayloadError) {
        for (text, most, name) in [(actor, 128, "actor"), (operation, 64, "operation"), (outcome, 64, "outcome")] {
            guard (1...most).contains(text.utf8.count), !text.utf8.contains(0) else {
                throw PayloadError(.missing, "the \(name) has 1 to \(most) bytes", path: "$.\(name)")
            }
        }
        for (text, most, name) in [(address, 128, "address"), (detail, 512, "detail"), (participant, 64, "participant")] {
            guard let text else { continue }
            guard text.utf8.count <= most, !text.utf8.contains(0) else {
                throw PayloadError(.tooLarge, "the \(name) has at most \(most) bytes", path: "$.\(name)")
            }
        }
    }
}
