import VigilSchema

/// Rows of Tidepool's data with values in members of their own: an extended bolus, and the inputs of a pump's
/// calculator.
///
/// Insulin given at once and over time are different metrics: they may have the same time, and must not be added up.
/// Source: https://developer.tidepool.org/data-model/device-data/types/
enum TidepoolRow {
    /// The column of the seconds that a value covers, which `BuiltIn.tidepool` reads.
    static let period = "seconds"

    /// The rows of a row; itself if it is no such row.
    static func split(_ row: JSONRows.Row) -> [JSONRows.Row] {
        let cells = Dictionary(row.cells.map { ($0.name, $0.text) }) { first, _ in first }
        guard cells["deviceId"] != nil, let type = cells["type"] else { return [row] }
        switch type {
        case "bolus":
            guard let extended = cells["extended"] else { return [row] }
            var rows = cells["normal"] == nil ? [] : [made(row, type, without: ["extended"])]
            let seconds = cells["duration"].flatMap { Double(decimal: $0) }.map { ($0 / 1000).rounded().short }
            let over = [("normal", extended)] + (seconds.map { [(period, $0)] } ?? [])
            rows.append(made(row, "bolus-extended", without: ["extended", "normal"], with: over))
            return rows
        case "wizard":
            // A correction without a meal contains no measurement.
            guard let carbs = cells["carbInput"].flatMap({ Double(decimal: $0) }), carbs > 0 else {
                return [made(row, "calculator", without: [])]
            }
            // Its unit is that of glucose. If carbohydrates are counted in exchanges, the size of one is unknown.
            return [made(row, type, without: cells["carbUnits"] == "exchanges" ? ["units", "carbInput"] : ["units"])]
        case "basal" where cells["deliveryType"] == "suspend" && cells["rate"] == nil:
            return [made(row, type, without: [], with: [("rate", "0")])]
        default: return [row]
        }
    }

    private static func made(
        _ row: JSONRows.Row, _ type: String, without names: Set<String>, with more: [(name: String, text: String)] = []
    ) -> JSONRows.Row {
        let kept = row.cells.filter { $0.name != "type" && !names.contains($0.name) }
        return JSONRows.Row(path: row.path, cells: kept + [("type", type)] + more, around: row.around)
    }
}
