import VigilSchema

/// A table of Synthea's CSV export with events of patients, as FHIR resources: one for each row, at the row's line.
///
/// `observations.csv`, whose rows are readings, is `BuiltIn.synthea`.
/// Source: https://github.com/synthetichealth/synthea/wiki/CSV-File-Data-Dictionary
struct SyntheaTable {
    /// The resource of each row.
    let type: String
    /// The usual system of its codes, if no column names it.
    private let system: String
    private let places: [String: Int]

    /// - Returns: nil if the header is not Synthea's, or that of readings.
    /// - Throws: if the timeline has no place for the table's content, or its header alone does not identify it.
    init?(header: [String], name: String) throws(ImportError) {
        var places: [String: Int] = [:]
        for (place, column) in header.map({ $0.trimmed.uppercased() }).enumerated() where places[column] == nil { places[column] = place }
        let has = { (columns: String...) in columns.allSatisfy { places[$0] != nil } }
        self.places = places
        if let subject = Self.withoutReadings(has) {
            throw ImportError(
                .format, "\(name) is a table of Synthea's with \(subject): a timeline has no place for them. Leave it out, as by --pattern")
        }
        if has("ID", "BIRTHDATE", "FIRST", "LAST", "GENDER") {
            (type, system) = ("Patient", "")
        } else if has("PATIENT", "ENCOUNTER", "BODYSITE_DESCRIPTION", "MODALITY_DESCRIPTION") {
            (type, system) = ("Procedure", "SNOMED-CT")
        } else if has("PATIENT", "CODE", "DESCRIPTION"), !has("VALUE"), has("ENCOUNTER") || has("ENCOUNTERCLASS") || has("ID", "REASONCODE")
        {
            guard let kind = Self.kind(has, name) else {
                throw ImportError(
                    .format,
                    "\(name) has the columns of Synthea's conditions and of its allergies: name it conditions.csv or allergies.csv")
            }
            (type, system) = kind
        } else {
            return nil
        }
    }

    private static func kind(_ has: (String...) -> Bool, _ name: String) -> (String, String)? {
        let file = name.split { $0 == "/" || $0 == "!" }.last?.lowercased() ?? ""
        if has("ENCOUNTERCLASS") || !has("ENCOUNTER") { return ("Encounter", "SNOMED-CT") }
        if has("DISPENSES") || has("REASONCODE", "STOP", "COST") && file.hasPrefix("medications") {
            return ("MedicationStatement", "RxNorm")
        }
        if has("REACTION1") || file.hasPrefix("allergies") { return ("AllergyIntolerance", "SNOMED-CT") }
        if has("REASONCODE") { return (has("BASE_COST") || has("COST") ? "Procedure" : "CarePlan", "SNOMED-CT") }
        if has("DATE") { return ("Immunization", "CVX") }
        return file.hasPrefix("conditions") ? ("Condition", "SNOMED-CT") : nil
    }

    /// The content of a table with neither readings nor events.
    private static func withoutReadings(_ has: (String...) -> Bool) -> String? {
        if has("PATIENT", "CODE", "DESCRIPTION", "UDI") { return "devices" }
        if has("PATIENT", "CODE", "DESCRIPTION", "QUANTITY") { return "supplies" }
        if has("PATIENTID", "PROVIDERID") || has("CLAIMID", "CHARGEID") { return "claims" }
        if has("PATIENT", "PAYER", "OWNERSHIP") || has("ID", "NAME", "STATE_HEADQUARTERED") { return "insurers" }
        return has("ID", "NAME", "ADDRESS", "CITY", "UTILIZATION") ? "hospitals or their staff" : nil
    }

    /// The table as a file of FHIR resources.
    func file(_ file: ImportFile, _ dialect: CSVDialect, _ open: @escaping @Sendable () throws(ImportError) -> any ByteSource) -> ImportFile
    {
        ImportFile(name: file.name) { () throws(ImportError) in
            SyntheaSource(table: self, reader: CSVReader(try open(), dialect: dialect))
        }
    }

    // MARK: Resources

    /// The identity of a row's event, without members that a later export changes, such as its end.
    func event(_ row: [String]) -> String {
        let parts = ["ENCOUNTER", "PATIENT", "CODE", "START", "DATE"].map { cell($0, row) ?? "" }
        return String(ContentDigest.of(parts.joined(separator: "|")).prefix(24))
    }

    private func cell(_ name: String, _ row: [String]) -> String? {
        places[name].flatMap { $0 < row.count && !row[$0].isEmpty ? row[$0] : nil }
    }

    /// A row's resource.
    /// - Parameter count: the number of earlier rows of the same event.
    func resource(_ row: [String], _ event: String, count: Int) -> JSONNode {
        let cell = { (name: String) in self.cell(name, row) }
        if type == "Patient" { return patient(cell) }
        let id = cell("ID") ?? event + (count > 0 ? "-\(count)" : "")
        var members: [(String, JSONNode?)] = [("resourceType", .string(type)), ("id", .string(id))]
        members.append(("subject", cell("PATIENT").map { Self.object([("reference", .string("Patient/\($0)"))]) }))
        members.append(("code", code(cell)))
        members.append(
            (
                "period",
                Self.object([("start", (cell("START") ?? cell("DATE")).map { .string($0) }), ("end", cell("STOP").map { .string($0) })])
            ))
        let notes = self.notes(cell).map { Self.object([("text", .string($0))]) }
        members.append(("note", notes.isEmpty ? nil : .array(notes)))
        return Self.object(members)
    }

    private func patient(_ cell: (String) -> String?) -> JSONNode {
        let name = Self.object([("family", cell("LAST").map { .string($0) }), ("given", cell("FIRST").map { .array([.string($0)]) })])
        let gender = cell("GENDER").flatMap { ["M": "male", "F": "female"][$0] }
        return Self.object([
            ("resourceType", .string("Patient")), ("id", cell("ID").map { .string($0) }), ("name", .array([name])),
            ("birthDate", cell("BIRTHDATE").map { .string($0) }), ("gender", gender.map { .string($0) }),
        ])
    }

    private func code(_ cell: (String) -> String?) -> JSONNode {
        let systems = [
            "SNOMED-CT": "http://snomed.info/sct", "RxNorm": "http://www.nlm.nih.gov/research/umls/rxnorm",
            "CVX": "http://hl7.org/fhir/sid/cvx", "LOINC": "http://loinc.org",
        ]
        let said = cell("SYSTEM") ?? system
        let text =
            cell("DESCRIPTION") ?? [cell("MODALITY_DESCRIPTION"), cell("BODYSITE_DESCRIPTION")].compactMap { $0 }.joined(separator: ", ")
        let coding = (cell("CODE") ?? cell("PROCEDURE_CODE")).map {
            JSONNode.array([Self.object([("system", .string(systems[said] ?? said)), ("code", .string($0))])])
        }
        return Self.object([("text", text.isEmpty ? nil : .string(text)), ("coding", coding)])
    }

    private func notes(_ cell: (String) -> String?) -> [String] {
        var notes = cell("REASONDESCRIPTION").map { ["for \($0)"] } ?? []
        if let category = cell("CATEGORY") { notes.append(category) }
        for number in ["1", "2"] {
            guard let reaction = cell("DESCRIPTION" + number) else { continue }
            notes.append(reaction + (cell("SEVERITY" + number).map { ", \($0.lowercased())" } ?? ""))
        }
        return notes
    }

    private static func object(_ members: [(String, JSONNode?)]) -> JSONNode {
        .object(members.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } })
    }
}

/// The rows of a table as resources, each on its own line. An unreadable row becomes an empty resource, which is
/// refused.
private struct SyntheaSource: ByteSource {
    let table: SyntheaTable
    var reader: CSVReader
    private var pending: [UInt8] = []
    private var taken = 0
    private var line = 0
    /// The number of rows of each event so far.
    private var met: [String: Int] = [:]

    init(table: SyntheaTable, reader: CSVReader) {
        self.table = table
        self.reader = reader
    }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while taken == pending.count {
            let isHeader = line == 0
            let event = try reader.next()
            if event == .end { return 0 }
            let text = isHeader ? "" : event == .record ? resource() : "{\"resourceType\":\"\(table.type)\"}"
            pending = Array((text + String(repeating: "\n", count: max(1, reader.endLine - 1 - line))).utf8)
            line = max(line + 1, reader.endLine - 1)
            taken = 0
        }
        let count = min(limit, pending.count - taken)
        for index in 0..<count { buffer[offset + index] = pending[taken + index] }
        taken += count
        return count
    }

    private mutating func resource() -> String {
        let row = reader.texts().map(\.trimmed), event = table.event(row)
        let count = met[event, default: 0]
        met[event] = count + 1
        return table.resource(row, event, count: count).json
    }
}
