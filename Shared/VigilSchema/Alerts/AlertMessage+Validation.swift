extension AlertMessage {
    /// Checks what the types do not say: names, a time that can be written, texts without NUL.
    public func validate() throws(PayloadError) {
        guard Name.isValid(participant) else { throw Self.name("participant") }
        guard Name.isValid(rule) else { throw Self.name("rule") }
        for (moment, field) in [(time, "time"), (since, "since"), (decided, "decided"), (silencedUntil ?? 0, "silencedUntil")] {
            guard abs(moment) <= 62_135_596_800 else {
                throw PayloadError(.implausibleTime, "the time is not between the years 1 and 3938", path: "$.\(field)")
            }
        }
        for (field, text) in texts where text.utf8.contains(0) {
            throw PayloadError(.malformed, "a text contains a NUL", path: "$.\(field)")
        }
    }

    private var texts: [(field: String, text: String)] {
        [("transition", transition), ("state", state), ("severity", severity), ("priority", priority)]
            + title.map { ("title", $0.value) } + message.map { ("message", $0.value) }
    }

    private static func name(_ field: String) -> PayloadError {
        PayloadError(.wrongType, "a \(field) is 1 to 64 of A-Z a-z 0-9 _ . -", path: "$.\(field)")
    }
}
