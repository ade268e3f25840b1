/// What a file's start tells of it: all that is needed to read it.
package struct FileSurvey: Sendable {
    /// How its fields are written.
    package var dialect: CSVDialect
    /// The length of its byte-order mark.
    package var markLength: Int
    /// The profile that it is read by.
    package var profile: Profile
    /// Which record is its header, from 0; without one, −1.
    package var headerRecord: Int
    /// The header.
    package var header: [String]
    /// How a row's time is found.
    package var timing = RowTiming.columns
    /// What the user should know.
    package var warnings: [String] = []
    /// Profiles that rejects may name; empty for other files.
    package var known: [Profile] = []
    /// No profile fits: this one is a draft.
    package var isDraft = false
    /// The step, in microseconds, of times to which milliseconds seem to have been added.
    package var millisecondStep: Int64?
}
