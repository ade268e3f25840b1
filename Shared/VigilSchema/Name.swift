/// The rule for the names that stand as a level of a topic: 1–64 of `A-Za-z0-9_.-`.
public enum Name {
    /// The longest name, in bytes.
    public static let maximumLength = 64

    /// Whether the name may stand as one level of a topic.
    public static func isValid(_ name: some StringProtocol) -> Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && bytes.count <= maximumLength && bytes.allSatisfy(isAllowed)
    }

    /// Whether the byte may occur in a name.
    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
