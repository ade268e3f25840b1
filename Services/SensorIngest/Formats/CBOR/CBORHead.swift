/// The first part of a CBOR data item: what it is, and its argument (RFC 8949, section 3).
struct CBORHead {
    /// The major types, by number.
    enum Major: UInt8 {
        case unsigned = 0
        case negative = 1
        case bytes = 2
        case text = 3
        case array = 4
        case map = 5
        case tag = 6
        case simple = 7
    }

    /// Where the item starts.
    let offset: Int
    let major: Major
    /// The value, the length, the tag or the bits of a float; nil for an indefinite length or a break.
    let argument: UInt64?
    /// The low five bits of the first byte: for simple values and floats they tell which.
    let information: UInt8

    var isBreak: Bool { major == .simple && information == 31 }
}
