/// What the store has made of observations.
package struct DeliveryCounts: Hashable, Sendable {
    /// New ones.
    package var stored = 0
    /// Those that were there already.
    package var duplicates = 0
    /// Those that replaced another value.
    package var corrections = 0
    /// Those that the store refused.
    package var refused = 0

    /// Of nothing, or of what is given.
    package init(stored: Int = 0, duplicates: Int = 0, corrections: Int = 0, refused: Int = 0) {
        self.stored = stored
        self.duplicates = duplicates
        self.corrections = corrections
        self.refused = refused
    }

    /// All of them.
    package var total: Int { stored + duplicates + corrections + refused }

    /// Both together.
    package static func + (left: Self, right: Self) -> Self {
        Self(
            stored: left.stored + right.stored, duplicates: left.duplicates + right.duplicates,
            corrections: left.corrections + right.corrections, refused: left.refused + right.refused)
    }
}
