extension [UInt8] {
    /// Appends a number, highest byte first, as PostgreSQL's binary formats have it.
    @inline(__always)
    mutating func appendBigEndian(_ number: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: number.bigEndian) { unsafe append(contentsOf: $0) }
    }
}
