/// A command in a recording, as `alert-commands/…` would have brought it.
package struct ReplayCommand: Hashable, Sendable {
    package var participant: String
    /// A rule's id, or `all`.
    package var rule: String
    /// Microseconds since 1970.
    package var time: Int64
    package var message: CommandMessage

    package init(participant: String, rule: String, time: Int64, message: CommandMessage) {
        self.participant = participant
        self.rule = rule
        self.time = time
        self.message = message
    }
}
