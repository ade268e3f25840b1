/// Data points of Google Fit's takeout that hold two readings: both pressures, which become a row each. Posture and place of the cuff are no readings.
/// Source: https://developers.google.com/fit/datatypes/health, com.google.blood_pressure
enum GoogleFitRow {
    private static let pressure = "com.google.blood_pressure"
    private static let parts = [("0", "systolic"), ("1", "diastolic")]
    private static let values = ["fitValue", "value"]

    /// The rows that a row makes; itself where it is no such row.
    static func split(_ row: JSONRows.Row) -> [JSONRows.Row] {
        guard row.cells.contains(where: { $0.name == "dataTypeName" && $0.text == pressure }) else { return [row] }
        let isValue = { (name: String) in values.contains { name.hasPrefix("\($0).") } }
        let common = row.cells.filter { $0.name != "dataTypeName" && !isValue($0.name) }
        let rows = parts.flatMap { place, name in
            row.cells.compactMap { cell -> JSONRows.Row? in
                guard let list = values.first(where: { cell.name.hasPrefix("\($0).\(place).") }), cell.name.hasSuffix("pVal") else {
                    return nil
                }
                let first = cell.name.replacing("\(list).\(place).", with: "\(list).0.")
                let cells = common + [("dataTypeName", "\(pressure).\(name)"), (first, cell.text)]
                return JSONRows.Row(path: row.path, cells: cells, around: row.around)
            }
        }
        return rows.isEmpty ? [row] : rows
    }
}
