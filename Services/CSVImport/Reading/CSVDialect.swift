/// How a file's fields are written.
package struct CSVDialect: Hashable, Sendable {
    /// Between fields: `,`, `;`, tab or `|`.
    package var delimiter: UInt8
    /// Around a field that holds delimiters or line breaks; doubled inside.
    package var quote: UInt8
    /// Between a number's whole part and its fraction: `.` or `,`.
    package var decimal: UInt8
    /// The characters' encoding.
    package var encoding: TextEncoding

    /// RFC 4180's: comma, double quote, decimal point, UTF-8.
    package static let standard = CSVDialect()

    /// Makes a dialect.
    package init(
        delimiter: UInt8 = UInt8(ascii: ","), quote: UInt8 = UInt8(ascii: "\""), decimal: UInt8 = UInt8(ascii: "."),
        encoding: TextEncoding = .utf8
    ) {
        self.delimiter = delimiter
        self.quote = quote
        self.decimal = decimal
        self.encoding = encoding
    }
}
