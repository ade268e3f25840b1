/// What became of one batch's observations.
///
/// `stored + duplicates + corrections + rejected` is the number of observations in the batch, always.
package struct AppendCounts: Hashable, Sendable {
    /// New observations.
    package var stored = 0
    /// Observations that were known already with the same content, or whose identity has content received later than
    /// this one (a late repetition of what has been corrected since). They changed nothing.
    package var duplicates = 0
    /// Observations that replaced the content of a known identity; the earlier content went to the corrections.
    package var corrections = 0
    /// Observations that cannot be stored, with the reason of each.
    package var rejections: [AppendRejection] = []

    /// How many observations cannot be stored.
    package var rejected: Int { rejections.count }
    /// All of the batch's observations.
    package var total: Int { stored + duplicates + corrections + rejected }

    /// Counts of nothing.
    package init() {}

    /// Makes counts.
    package init(stored: Int = 0, duplicates: Int = 0, corrections: Int = 0, rejections: [AppendRejection] = []) {
        self.stored = stored
        self.duplicates = duplicates
        self.corrections = corrections
        self.rejections = rejections
    }
}

extension AppendCounts {
    mutating func count(_ verdict: Verdict) {
        switch verdict {
        case .new: stored += 1
        case .duplicate: duplicates += 1
        case .correction: corrections += 1
        }
    }
}
