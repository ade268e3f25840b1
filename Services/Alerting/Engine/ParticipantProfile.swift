/// What rules and scores must know of a person.
package struct ParticipantProfile: Hashable, Sendable {
    /// Microseconds since 1970 of the birth date, where known.
    package var born: Int64?
    package var isPregnant = false
    /// NEWS2's oxygen-saturation scale: 2 only where a clinician has set it.
    package var usesScale2 = false
    /// In metres, where known.
    package var height: Double?

    package init() {}

    /// The age in years at a time.
    package func age(at time: Int64) -> Double? { born.map { Double(time - $0) / (365.2425 * 86_400e6) } }

    /// The age group at a time.
    package func ageGroup(at time: Int64) -> AgeGroup? { age(at: time).map(AgeGroup.init(years:)) }
}
