/// The profiles that come with the importer.
///
/// The order matters: the first that fits a header is taken, so the narrow ones stand before the wide ones.
package enum BuiltIn {
    /// All of them.
    package static let profiles: [Profile] = [
        rejects, empaticaStudy, healthHacks, sessions, fitabaseHeart, fitabase, libre, dexcom, omron, ihealth, jawbone, healthHacksDate,
        empaticaSamples, empaticaIntervals, empaticaTags, appleHealth, generic,
    ]
}
