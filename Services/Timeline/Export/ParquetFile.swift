import TimelineStore

/// An Apache Parquet file that grows by rows: each row group's columns as one page of plain values, compressed by zstd, and at the end what
/// the file holds: https://parquet.apache.org/docs/file-format/
///
/// Every column may have missing values. Memory: one row group.
struct ParquetFile {
    private static let magic = Array("PAR1".utf8)
    private static let rowsInGroup = 50_000
    private static let (uncompressed, zstd): (Int32, Int32) = (0, 6)
    private static let (plain, runLengths): (Int32, Int32) = (0, 3)

    private struct Chunk {
        let column: ParquetColumn
        let offset: Int64
        let codec: Int32
        /// With the page's header.
        let length: Int64
        let uncompressedLength: Int64
        /// The number of values, missing ones too.
        let count: Int64
    }

    private var columns: [ParquetColumn]
    private var groups: [[Chunk]] = []
    private var offset: Int64 = 0
    private let context = ZstdContext()
    /// What is to be written; the caller empties it into the file.
    private(set) var output: [UInt8] = []

    init(columns: [ParquetColumn]) {
        self.columns = columns
        write(Self.magic)
    }

    /// Adds a row: `fill` appends one value to each column.
    mutating func append(_ fill: (inout [ParquetColumn]) -> Void) {
        fill(&columns)
        if columns[0].count == Self.rowsInGroup { endGroup() }
    }

    /// Hands over what is to be written.
    mutating func takeOutput() -> [UInt8] {
        defer { output.removeAll(keepingCapacity: true) }
        return output
    }

    /// Ends the file; no rows may follow.
    mutating func end() {
        if columns[0].count > 0 { endGroup() }
        var footer = ThriftWriter()
        footer.structure { describe(&$0) }
        write(footer.bytes)
        write((0..<4).map { UInt8(truncatingIfNeeded: footer.bytes.count >> (8 * $0)) })
        write(Self.magic)
    }

    private mutating func write(_ bytes: [UInt8]) {
        output.append(contentsOf: bytes)
        offset += Int64(bytes.count)
    }

    private mutating func endGroup() {
        groups.append(columns.map { write($0) })
        columns = columns.map(\.emptied)
    }

    private mutating func write(_ column: ParquetColumn) -> Chunk {
        let page = column.page
        let compressed = context.compress(page)
        var header = ThriftWriter()
        header.structure { header in
            header.field(1, Int32(0))
            header.field(2, Int32(page.count))
            header.field(3, Int32(compressed?.count ?? page.count))
            header.field(5) { data in
                data.field(1, Int32(column.count))
                data.field(2, Self.plain)
                data.field(3, Self.runLengths)
                data.field(4, Self.runLengths)
            }
        }
        let start = offset
        write(header.bytes)
        write(compressed ?? page)
        return Chunk(
            column: column.emptied, offset: start, codec: compressed == nil ? Self.uncompressed : Self.zstd, length: offset - start,
            uncompressedLength: Int64(header.bytes.count + page.count), count: Int64(column.count))
    }

    /// The structure FileMetaData of parquet.thrift.
    private func describe(_ file: inout ThriftWriter) {
        file.field(1, Int32(1))
        file.field(2, structures: [nil] + columns.map(Optional.some)) { column, element in
            guard let column else {
                element.field(4, "schema")
                return element.field(5, Int32(columns.count))
            }
            element.field(1, column.kind.rawValue)
            element.field(3, Int32(1))
            element.field(4, column.name)
            if let meaning = column.meaning { Self.describe(meaning, &element) }
        }
        file.field(3, groups.reduce(0) { $0 + $1[0].count })
        file.field(4, structures: groups) { chunks, group in
            group.field(1, structures: chunks) { chunk, column in
                column.field(2, chunk.offset)
                column.field(3) { Self.describe(chunk, &$0) }
            }
            group.field(2, chunks.reduce(0) { $0 + $1.uncompressedLength })
            group.field(3, chunks[0].count)
        }
        file.field(6, "vigil")
    }

    /// The meaning twice: as older readers know it, and as LogicalType, in which a time says that it is UTC.
    private static func describe(_ meaning: ParquetColumn.Meaning, _ element: inout ThriftWriter) {
        element.field(6, meaning.rawValue)
        element.field(10) { type in
            switch meaning {
            case .text: type.field(1) { _ in }
            case .microseconds:
                type.field(8) { timestamp in
                    timestamp.field(true: 1)
                    timestamp.field(2) { unit in unit.field(2) { _ in } }
                }
            }
        }
    }

    /// The structure ColumnMetaData of parquet.thrift.
    private static func describe(_ chunk: Chunk, _ data: inout ThriftWriter) {
        data.field(1, chunk.column.kind.rawValue)
        data.field(2, numbers: [plain, runLengths])
        data.field(3, texts: [chunk.column.name])
        data.field(4, chunk.codec)
        data.field(5, chunk.count)
        data.field(6, chunk.uncompressedLength)
        data.field(7, chunk.length)
        data.field(9, chunk.offset)
    }
}
