import VigilSchema

/// Rows whose cells depend on one another: the two numbers of a blood pressure stand together or not at all, as of a live device.
extension TableDecoder {
    /// The places in the block of what a row's columns have given, by the columns' numbers in the plan.
    struct RowCells {
        private static let (nothing, refusal) = (-1, -2)
        private var places: [Int] = []

        /// The place of a column's reading in the block; nil where it gave none.
        func taken(_ column: Int) -> Int? { places.indices.contains(column) && places[column] >= 0 ? places[column] : nil }
        func isRefused(_ column: Int) -> Bool { places.indices.contains(column) && places[column] == RowCells.refusal }

        mutating func reset(_ count: Int) {
            places.removeAll(keepingCapacity: true)
            places.append(contentsOf: repeatElement(RowCells.nothing, count: count))
        }

        mutating func note(_ column: Int, reading: Int?) { places[column] = reading ?? RowCells.refusal }

        /// Takes a column's reading for refused, behind which the block's others move up.
        mutating func remove(_ column: Int) {
            let place = places[column]
            for other in places.indices where places[other] > place { places[other] -= 1 }
            places[column] = RowCells.refusal
        }
    }

    /// Decodes the row's cells one by one, and takes back what is not kept alone.
    @inline(never)
    mutating func decodePaired(_ reader: CSVReader, _ bytes: RawSpan, _ time: ParsedTime, _ block: inout ReadingBlock) throws {
        lastRow.reset(cells.count)
        for column in cells.indices {
            let (readings, rejects) = (block.readings.count, block.rejects.count)
            try decodeCell(column, reader, bytes, time, &block)
            if block.readings.count > readings {
                lastRow.note(column, reading: readings)
            } else if block.rejects.count > rejects {
                lastRow.note(column, reading: nil)
            }
        }
        for pair in plan.pressures { settle(pair, reader, &block) }
    }

    private mutating func settle(_ pair: PressurePair, _ reader: CSVReader, _ block: inout ReadingBlock) {
        let taken = (lastRow.taken(pair.systolic), lastRow.taken(pair.diastolic))
        switch taken {
        case (let systolic?, let diastolic?):
            let (high, low) = (block.readings[systolic], block.readings[diastolic])
            guard high.text == AcceptedCell.noText, low.text == AcceptedCell.noText, high.value < low.value else { return }
            takeBack(pair.systolic, PressurePair.reversed, reader, &block)
            takeBack(pair.diastolic, PressurePair.reversed, reader, &block)
        case (.some, nil) where lastRow.isRefused(pair.diastolic):
            takeBack(pair.systolic, PressurePair.alone(PressurePair.systolic), reader, &block)
        case (nil, .some) where lastRow.isRefused(pair.systolic):
            takeBack(pair.diastolic, PressurePair.alone(PressurePair.diastolic), reader, &block)
        default: break
        }
    }

    /// Refuses a cell that was accepted, unless it is withheld and so refused already.
    private mutating func takeBack(_ column: Int, _ reason: String, _ reader: CSVReader, _ block: inout ReadingBlock) {
        guard let place = lastRow.taken(column), !block.withheld.contains(place) else { return }
        let reading = block.removeReading(at: place)
        lastRow.remove(column)
        account.accepted -= 1
        refuse(plan.columns[column], reader, reading, reason, into: &block)
    }
}

/// The two columns of a blood pressure, by their numbers in the plan.
struct PressurePair: Hashable, Sendable {
    let systolic: Int
    let diastolic: Int

    static let (systolic, diastolic) = ("systolic-pressure", "diastolic-pressure")
    static let reversed = "the systolic pressure is below the diastolic one"

    static func alone(_ metric: String) -> String {
        "\(metric) is not kept without the other half of the blood pressure, which was refused"
    }

    /// The pairs among a table's columns: the halves of cells such as `120/80`, and columns of their own, the first of the one with the first of the other.
    static func pairs(of columns: [ColumnPlan], _ metrics: [MetricPlan]) -> [PressurePair] {
        let halves = { (name: String, isSlashed: Bool) in
            columns.indices.filter {
                let column = columns[$0]
                return metrics[column.metric].name == name && isSlashed == (column.kind == .beforeSlash || column.kind == .afterSlash)
            }
        }
        return [true, false].flatMap { isSlashed -> [PressurePair] in
            let (systolic, diastolic) = (halves(Self.systolic, isSlashed), halves(Self.diastolic, isSlashed))
            return systolic.count == diastolic.count ? zip(systolic, diastolic).map { PressurePair(systolic: $0, diastolic: $1) } : []
        }
    }
}
