package import VigilSchema

/// The content of a patient record: a profile, entries, observations, and an account of everything that was odd.
package struct PatientRecord: Sendable {
    /// Something odd, and what was done about it.
    package struct Problem: Hashable, Sendable {
        /// The path in the document: `$.vital_signs[3].value`.
        package let path: String
        /// In words, without values.
        package let reason: String
        /// A Boolean value that indicates whether the item was left out for it.
        package let isRejected: Bool
    }

    package internal(set) var profile = ParticipantProfile()
    package internal(set) var entries: [TimelineEntry] = []
    package internal(set) var observations: [Observation] = []
    package internal(set) var problems: [Problem] = []
    /// The number of items the record holds; kept + rejected.
    package internal(set) var items = 0

    /// Items that were left out.
    package var rejected: Int { problems.count { $0.isRejected } }
}
