/// JSON in which `^` marks the byte that an error, or a field, is expected at.
struct MarkedText {
    let bytes: [UInt8]
    /// The marks' places, without the marks before them.
    let places: [Int]

    init(_ text: String) {
        var bytes: [UInt8] = [], places: [Int] = []
        for byte in text.utf8 { if byte == UInt8(ascii: "^") { places.append(bytes.count) } else { bytes.append(byte) } }
        (self.bytes, self.places) = (bytes, places)
    }
}
