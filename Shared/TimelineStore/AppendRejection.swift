/// One observation that cannot be stored, and why.
package struct AppendRejection: Hashable, Sendable {
    /// The index of its group in the batch.
    package let group: Int
    /// Its index in the group.
    package let observation: Int
    /// Why, in words, without the value.
    package let reason: String

    /// Makes a rejection.
    package init(group: Int, observation: Int, reason: String) {
        self.group = group
        self.observation = observation
        self.reason = reason
    }
}
