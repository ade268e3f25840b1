/// The versions of SenML that are understood.
///
/// Version 10 is RFC 8428. RFC 9100 reads greater numbers as sets of features above it, of which one is defined: 2^4,
/// secondary units, which makes 26. Numbers below 10 were drafts with the same fields.
enum SenMLVersion {
    private static let secondaryUnits = 16

    static func isUnderstood(_ version: Int) -> Bool {
        (1...10).contains(version) || version == 10 + secondaryUnits
    }
}
