import VigilSchema

/// What became of what a device sent.
struct SendOutcome: Sendable, CustomStringConvertible {
    /// Messages that the broker has.
    var sent = 0
    /// Messages that the timeline has committed, or refused in words.
    var confirmed = 0
    /// Messages without a receipt.
    var unconfirmed = 0
    /// What the receipts said, added up.
    var stored = 0
    var duplicates = 0
    var corrections = 0
    var rejected = 0
    /// The first reasons for refusals.
    var reasons: [String] = []
    let wantsReceipt: Bool

    var isComplete: Bool { rejected == 0 && unconfirmed == 0 }

    mutating func add(_ receipt: Receipt) {
        confirmed += 1
        stored += receipt.stored
        duplicates += receipt.duplicates
        corrections += receipt.corrections
        rejected += receipt.rejected
        for reason in receipt.reasons where reasons.count < 5 { reasons.append(reason) }
    }

    var description: String {
        guard wantsReceipt else { return "published \(sent) \(sent == 1 ? "message" : "messages")" }
        let counts =
            "stored \(stored), duplicates \(duplicates), corrections \(corrections), rejected \(rejected), unconfirmed \(unconfirmed)"
        return (["published \(sent), confirmed \(confirmed): \(counts)"] + reasons.map { "  refused: \($0)" }).joined(separator: "\n")
    }
}
