/// Accounts for cells and rows that are refused, each with its place and the record as it stands in the file.
extension TableDecoder {
    mutating func refuse(
        _ column: ColumnPlan, _ reader: CSVReader, _ reading: AcceptedCell, _ reason: String, into block: inout ReadingBlock
    ) {
        account.rejected += 1
        let start = fieldStart(column.index, reader)
        let position = reader.position(of: start)
        block.rejects.append(
            RejectedCell(
                line: position.line, column: position.column, offset: reader.offset(of: start), field: column.header, reason: reason,
                original: reader.originalRecord(), sequence: reading.sequence, time: reading.time, cells: 1,
                cell: RejectedCell.Cell(place: column.index, metric: plan.metrics[column.metric].name)))
    }

    /// A long table's row that names what is known and has no value where one is looked for.
    mutating func refuseValueless(_ name: String, _ reader: CSVReader, into block: inout ReadingBlock) {
        account.rejected += 1
        let position = reader.position(of: reader.recordStart)
        block.rejects.append(
            RejectedCell(
                line: position.line, column: position.column, offset: reader.offset(of: reader.recordStart), field: nil,
                reason: "the row names \(name) and has no value in a member that is known for it", original: reader.originalRecord(),
                sequence: 0, cells: 1))
    }

    mutating func refuseRow(_ reader: CSVReader, _ reason: String, at field: Int? = nil, into block: inout ReadingBlock) {
        let columns = plan.long?.values ?? plan.columns.map(\.index)
        let filled = columns.count { $0 < reader.fieldCount && !(reader.text($0)?.trimmed.isEmpty ?? false) }
        account.rejected += filled
        account.empty += columns.count - filled
        account.ignored += plan.ignoredColumns.count
        let start = field.map { fieldStart($0, reader) } ?? reader.recordStart
        let position = reader.position(of: start)
        block.rejects.append(
            RejectedCell(
                line: position.line, column: position.column, offset: reader.offset(of: start), field: nil, reason: reason,
                original: reader.originalRecord(), sequence: 0, time: knownTime, cells: filled))
    }

    /// Where a field starts, or where its record does that ends before it.
    private func fieldStart(_ field: Int, _ reader: CSVReader) -> Int {
        field < reader.fieldCount ? Int(reader.field(field).start) : reader.recordStart
    }
}
