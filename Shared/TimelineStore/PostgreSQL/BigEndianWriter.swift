/// Writes numbers, highest byte first, into memory that is allocated once.
@safe struct BigEndianWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private let capacity: Int
    private var count = 0

    /// What `body` writes.
    /// - Parameter capacity: how many bytes it writes at most; writing more traps.
    static func write(capacity: Int, _ body: (inout BigEndianWriter) -> Void) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
            var writer = unsafe BigEndianWriter(UnsafeMutableRawBufferPointer(memory))
            body(&writer)
            count = writer.count
        }
    }

    private init(_ buffer: UnsafeMutableRawBufferPointer) {
        unsafe self.buffer = buffer
        capacity = buffer.count
    }

    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        let width = Number.bitWidth / 8
        precondition(count + width <= capacity, "the capacity was counted wrong")
        unsafe buffer.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
        count += width
    }

    /// A number after its length.
    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(field number: Number) {
        append(Int32(Number.bitWidth / 8))
        append(number)
    }

    /// A number after its length, or NULL in place of one that stands for none.
    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(field number: Number, unless none: Number) {
        if number == none { append(Int32(-1)) } else { append(field: number) }
    }

    /// Bytes after their number.
    mutating func append(field bytes: [UInt8]) {
        append(Int32(bytes.count))
        precondition(count + bytes.count <= capacity, "the capacity was counted wrong")
        for byte in bytes {
            unsafe buffer[count] = byte
            count += 1
        }
    }
}
