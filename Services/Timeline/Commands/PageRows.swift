import Foundation

/// A page's JSON as rows by time: one for each value, entry, text and alert.
enum PageRows {
    static let columns = ["time", "kind", "metric", "description", "value", "min", "max", "count", "unit"]

    private static let entries = [
        "allergies": "allergy", "conditions": "condition", "encounters": "encounter", "immunizations": "immunization",
        "timeline_medications": "medication", "procedures": "procedure", "results": "result", "regimens": "regimen", "notes": "note",
    ]

    /// The rows; nil where the answer is no page.
    static func of(_ page: [String: Any]) -> [[String: Any]]? {
        guard let vitals = page["vitals"] as? [[String: Any]] else { return nil }
        var rows = vitals.flatMap { values($0, kind: "vital") }
        for level in (page["levels"] as? [String: [String: Any]] ?? [:]).values { rows += values(level, kind: "level") }
        for (list, kind) in entries { rows += (page[list] as? [[String: Any]] ?? []).map { entry($0, kind: kind) } }
        for text in page["texts"] as? [[String: Any]] ?? [] {
            rows.append(row("text", ["time": text["time"], "metric": text["metric"], "description": text["text"]]))
        }
        for alert in page["alerts"] as? [[String: Any]] ?? [] {
            let words = ["rule", "transition"].compactMap { alert[$0] as? String }.joined(separator: " ")
            rows.append(row("alert", ["time": alert["time"], "metric": alert["metric"], "description": words, "value": alert["value"]]))
        }
        return rows.sorted { order($0) < order($1) }
    }

    /// A metric's values, each with its step's extremes.
    private static func values(_ vital: [String: Any], kind: String) -> [[String: Any]] {
        func list(_ name: String) -> [NSNumber] { vital[name] as? [NSNumber] ?? [] }
        let (times, values, lowest, highest, counts) = (list("times"), list("values"), list("minimums"), list("maximums"), list("counts"))
        let shared = min(times.count, values.count, lowest.count, highest.count, counts.count)
        return (0..<shared).map { index in
            row(
                kind,
                [
                    "time": times[index], "metric": vital["metric"], "description": vital["description"], "unit": vital["units"],
                    "value": ResultTable.shortened(values[index]), "min": lowest[index], "max": highest[index], "count": counts[index],
                ])
        }
    }

    private static func entry(_ item: [String: Any], kind: String) -> [String: Any] {
        let measurement = item["measurement"] as? [String: Any] ?? [:]
        return row(
            kind,
            [
                "time": item["date"], "description": item["description"], "value": measurement["value"] ?? measurement["text"],
                "unit": measurement["unit"],
            ])
    }

    private static func row(_ kind: String, _ fields: [String: Any?]) -> [String: Any] {
        fields.compactMapValues { $0 }.merging(["kind": kind]) { first, _ in first }
    }

    private static func order(_ row: [String: Any]) -> (Double, String, String) {
        ((row["time"] as? NSNumber)?.doubleValue ?? 0, row["metric"] as? String ?? "", row["description"] as? String ?? "")
    }
}
