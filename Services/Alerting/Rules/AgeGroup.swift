/// The age groups for which rules can have thresholds of their own.
package enum AgeGroup: String, Sendable, CaseIterable {
    /// Under 1 year.
    case infant
    /// 1 to 11 years.
    case child
    /// 12 to 17 years.
    case adolescent
    /// 18 to 64 years.
    case adult
    /// 65 years and more.
    case older

    /// The group of an age in years.
    package init(years: Double) {
        switch years {
        case ..<1: self = .infant
        case ..<12: self = .child
        case ..<18: self = .adolescent
        case ..<65: self = .adult
        default: self = .older
        }
    }
}
