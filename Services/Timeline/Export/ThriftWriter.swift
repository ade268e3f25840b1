/// Writes Thrift's compact protocol, in which Parquet describes its files: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
///
/// A structure's fields are written in the order of their numbers, and the closures of `structure` and `list` write what is in them.
struct ThriftWriter {
    private enum Kind: UInt8 { case yes = 1, int32 = 5, int64, binary = 8, list, structure = 12 }

    private(set) var bytes: [UInt8] = []
    private var lastField = 0

    mutating func field(_ number: Int, _ value: Int32) {
        header(number, .int32)
        zigzag(Int64(value))
    }

    mutating func field(_ number: Int, _ value: Int64) {
        header(number, .int64)
        zigzag(value)
    }

    /// The Boolean value true.
    mutating func field(true number: Int) { header(number, .yes) }

    mutating func field(_ number: Int, _ text: String) {
        header(number, .binary)
        binary(text)
    }

    mutating func field(_ number: Int, _ body: (inout ThriftWriter) -> Void) {
        header(number, .structure)
        structure(body)
    }

    mutating func field<Elements: Collection>(
        _ number: Int, structures elements: Elements, _ body: (Elements.Element, inout ThriftWriter) -> Void
    ) {
        header(number, .list)
        list(elements.count, .structure)
        for element in elements { structure { body(element, &$0) } }
    }

    mutating func field(_ number: Int, numbers: [Int32]) {
        header(number, .list)
        list(numbers.count, .int32)
        for number in numbers { zigzag(Int64(number)) }
    }

    mutating func field(_ number: Int, texts: [String]) {
        header(number, .list)
        list(texts.count, .binary)
        for text in texts { binary(text) }
    }

    /// Writes the fields of a structure, and its end.
    mutating func structure(_ body: (inout ThriftWriter) -> Void) {
        let outer = lastField
        lastField = 0
        body(&self)
        bytes.append(0)
        lastField = outer
    }

    private mutating func header(_ number: Int, _ kind: Kind) {
        // Parquet's numbers are at most fifteen apart.
        bytes.append(UInt8(number - lastField) << 4 | kind.rawValue)
        lastField = number
    }

    private mutating func list(_ count: Int, _ kind: Kind) {
        bytes.append(UInt8(min(count, 15)) << 4 | kind.rawValue)
        if count >= 15 { unsigned(UInt64(count)) }
    }

    private mutating func binary(_ text: String) {
        unsigned(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func zigzag(_ number: Int64) { unsigned(UInt64(bitPattern: (number << 1) ^ (number >> 63))) }

    private mutating func unsigned(_ number: UInt64) {
        var rest = number
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
