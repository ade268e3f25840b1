import Foundation
import VigilSchema

/// The outcome for one batch's observations.
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
    /// The places of the corrections. They do not count in comparisons.
    package private(set) var corrected: [AppendPlace] = []
    /// Observations that cannot be stored, with the reason of each.
    package var rejections: [AppendRejection] = []

    /// The number of observations that cannot be stored.
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
    /// - Parameter place: of an observation in a batch; nil for what is none.
    mutating func count(_ verdict: Verdict, at place: RowPosition? = nil) {
        switch verdict {
        case .new: stored += 1
        case .duplicate: duplicates += 1
        case .correction:
            corrections += 1
            if let place { corrected.append(AppendPlace(group: Int(place.group), observation: Int(place.observation))) }
        }
    }

    package static func == (one: AppendCounts, other: AppendCounts) -> Bool {
        (one.stored, one.duplicates, one.corrections, one.rejections) == (
            other.stored, other.duplicates, other.corrections, other.rejections
        )
    }

    package func hash(into hasher: inout Hasher) {
        for count in [stored, duplicates, corrections] { hasher.combine(count) }
        hasher.combine(rejections)
    }
}

/// The place of an observation in a batch.
package struct AppendPlace: Hashable, Sendable {
    /// The index of its group in the batch.
    package let group: Int
    /// Its index in the group.
    package let observation: Int
}

/// One observation that cannot be stored, and why.
package struct AppendRejection: Hashable, Sendable {
    /// The index of its group in the batch.
    package let group: Int
    /// Its index in the group.
    package let observation: Int
    /// The reason, in words, without the value.
    package let reason: String

    /// Makes a rejection.
    package init(group: Int, observation: Int, reason: String) {
        self.group = group
        self.observation = observation
        self.reason = reason
    }
}

/// The relation of an observation to a store that may know its identity already.
enum Verdict: Hashable {
    /// Its identity is new.
    case new
    /// It changes nothing.
    case duplicate
    /// It replaces what is known.
    case correction

    /// The rule of "the later received wins".
    /// - Parameters:
    ///   - same: whether the contents are equal.
    ///   - received: when the incoming one was received, microseconds.
    ///   - known: when the known one was.
    ///   - replaced: whether the incoming one, received at that moment, was replaced before: then it is a repetition.
    static func of(same: Bool, received: Int64, known: Int64, replaced: () throws(StoreError) -> Bool) throws(StoreError) -> Verdict {
        if same || !isLater(received, than: known) { return .duplicate }
        return try replaced() ? .duplicate : .correction
    }

    /// Returns whether what was received at a moment comes after what is known. So it does where that was received by a clock that was ahead, by decades
    /// perhaps, and was set right since.
    static func isLater(_ received: Int64, than known: Int64) -> Bool {
        guard received < known else { return true }
        let future = Timestamp(seconds: Date().timeIntervalSince1970).microseconds + lead
        return received < future && known >= future
    }

    /// How far one machine's clock may be ahead of another's, in microseconds.
    private static let lead: Int64 = 60_000_000
}
