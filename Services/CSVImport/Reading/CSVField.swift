/// Where a field stands in the reader's buffer, without its quotes.
package struct CSVField {
    /// The first byte of its content.
    package var start: Int32
    /// After the last byte of its content.
    package var end: Int32
    /// How it was written.
    package var quoting: Quoting

    /// How a field was written.
    package enum Quoting: UInt8 {
        /// Without quotes.
        case bare
        /// In quotes, with nothing doubled inside: its bytes are its content.
        case quoted
        /// In quotes, with doubled quotes inside, which must be halved.
        case escaped
    }

    /// Whether there is nothing in it.
    package var isEmpty: Bool { start == end }
}
