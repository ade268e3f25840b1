/// What the user says about the files, over what profiles and files say.
package struct ImportOptions: Hashable, Sendable {
    /// The participant of every row.
    package var participant: String?
    /// The source of every row.
    package var source: String?
    /// The session of every row.
    package var session: String?
    /// The zone of times that do not name theirs.
    package var zone: String?
    /// How dates are written, where the profile leaves it open.
    package var dateFormats: [TimeFormat]?
    /// The units of columns, by header.
    package var units: [String: String] = [:]
    /// Undoes milliseconds that were added to a start in seconds.
    package var correctsMilliseconds = false
    /// When the recording started, for that correction, in Unix seconds.
    package var sessionStart: Double?
    /// Instead of what the file's start suggests.
    package var delimiter: UInt8?
    /// Instead of what the file's start suggests.
    package var encoding: TextEncoding?
    /// Instead of what the file's start suggests.
    package var decimal: UInt8?

    /// Nothing said.
    package init() {}
}
