/// Rows of Health Auto Export's JSON that hold several values of one metric: both pressures, the parts of a night, the lowest and the highest.
///
/// Each becomes a row a value, as the metrics with one value (`qty`) are.
enum HealthAutoExportRow {
    /// The values that a row may have besides `qty`, and what they are called then: after the metric's name, or in place of it.
    private static let parts: [String: (name: String, isSuffix: Bool)] = [
        "Avg": ("", true), "Min": ("_minimum", true), "Max": ("_maximum", true), "systolic": ("systolic", false),
        "diastolic": ("diastolic", false), "totalSleep": ("sleep_analysis", false), "core": ("sleep_core", false),
        "deep": ("sleep_deep", false), "rem": ("sleep_rem", false), "awake": ("sleep_awake", false), "inBed": ("time_in_bed", false),
    ]

    /// The rows that a row makes; itself where it is no such row.
    static func split(_ row: JSONRows.Row) -> [JSONRows.Row] {
        let cells = Dictionary(row.cells.map { ($0.name, $0.text) }) { first, _ in first }
        guard let name = cells["name"], cells["units"] != nil, cells["date"] != nil || cells["startDate"] != nil, cells["qty"] == nil else {
            return [row]
        }
        var values = row.cells.compactMap { cell -> (name: String, text: String)? in
            guard let part = parts[cell.name] else { return nil }
            return (part.isSuffix ? name + part.name : part.name, cell.text)
        }
        // Of older versions the whole night, of newer ones the sleep of which nothing more is known.
        if let asleep = cells["asleep"] { values.append((cells["totalSleep"] == nil ? "sleep_analysis" : "sleep_unspecified", asleep)) }
        guard !values.isEmpty else { return [row] }
        let common = row.cells.filter { parts[$0.name] == nil && $0.name != "asleep" && $0.name != "name" }
        let around = row.around.filter { $0 != "name" }
        return values.map { JSONRows.Row(path: row.path, cells: common + [("name", $0.name), ("qty", $0.text)], around: around) }
    }
}
