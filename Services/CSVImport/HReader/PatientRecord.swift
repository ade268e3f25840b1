package import VigilSchema

/// The content of a patient record: a profile, entries, observations, and remarks on everything unusual.
package struct PatientRecord: Sendable {
    /// Something unusual, and its treatment.
    package struct Problem: Hashable, Sendable {
        /// The path in the document: `$.vital_signs[3].value`.
        package let path: String
        /// The reason, without values.
        package let reason: String
        /// Whether the item was left out.
        package let isRejected: Bool
    }

    package internal(set) var profile = ParticipantProfile()
    package internal(set) var entries: [TimelineEntry] = []
    package internal(set) var observations: [Observation] = []
    package internal(set) var problems: [Problem] = []
    /// The number of items in the record: imported + rejected.
    package internal(set) var items = 0

    /// The number of items that were left out.
    package var rejected: Int { problems.count { $0.isRejected } }
}
