/// A column's values of one row group, in Parquet's plain encoding: https://parquet.apache.org/docs/file-format/data-pages/encodings/
struct ParquetColumn {
    /// The physical types of Parquet that are used, by their numbers.
    enum Kind: Int32 { case int32 = 1, int64 = 2, double = 5, binary = 6 }

    /// The meanings of Parquet that are used, by their numbers.
    enum Meaning: Int32 { case text = 0, microseconds = 10 }

    let name: String
    let kind: Kind
    var meaning: Meaning?
    private(set) var count = 0
    private var values: [UInt8] = []
    /// Runs of values that are there and that are not, in turn; the first are there.
    private var runs = [0]

    init(_ name: String, _ kind: Kind, _ meaning: Meaning? = nil) { (self.name, self.kind, self.meaning) = (name, kind, meaning) }

    mutating func append(_ value: Int32?) { append(value.map { UInt64(UInt32(bitPattern: $0)) }, bytes: 4) }

    mutating func append(_ value: Int64?) { append(value.map { UInt64(bitPattern: $0) }, bytes: 8) }

    mutating func append(_ value: Double?) { append(value?.bitPattern, bytes: 8) }

    mutating func append(_ text: String?) {
        append(text.map { UInt64($0.utf8.count) }, bytes: 4)
        if let text { values.append(contentsOf: text.utf8) }
    }

    private mutating func append(_ value: UInt64?, bytes: Int) {
        count += 1
        // An even number of runs ends with one of values that are missing.
        if (value == nil) != (runs.count % 2 == 0) { runs.append(0) }
        runs[runs.count - 1] += 1
        guard let value else { return }
        for byte in 0..<bytes { values.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))) }
    }

    /// The content of a data page: which values are there, as runs of 1 and 0, then those that are there.
    var page: [UInt8] {
        var levels: [UInt8] = []
        for (index, length) in runs.enumerated() where length > 0 {
            var rest = length << 1
            while rest >= 128 {
                levels.append(UInt8(truncatingIfNeeded: rest) | 128)
                rest >>= 7
            }
            levels.append(UInt8(rest))
            levels.append(index % 2 == 0 ? 1 : 0)
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: levels.count >> (8 * $0)) } + levels + values
    }

    /// The same column without values, for the next row group.
    var emptied: ParquetColumn { ParquetColumn(name, kind, meaning) }
}
