/// A password that no description, interpolation, dump or log shows.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself, for the one who must send it.
    package let exposed: String

    package init(_ value: String) {
        exposed = value
    }

    package var description: String { "redacted" }
    package var debugDescription: String { "redacted" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
