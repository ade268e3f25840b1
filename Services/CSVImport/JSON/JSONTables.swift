/// Turns JSON into tables. Each array of objects is a table; members are columns, and nested members are named by their
/// path.
///
/// An object with a list of readings and common members, such as `{"name": "heart_rate", "units": "/min", "data":
/// [{…}]}`, becomes a row per reading. The file is read once for the columns, and once for each table.
struct JSONTables {
    /// One table: the path of its array, and its columns in order of occurrence.
    struct Table: Hashable {
        let path: String
        var columns: [String] = []
        var rows = 0
        /// The columns with a value of their own in some row, not only from an enclosing object.
        var own: Set<String> = []
    }

    private static let mostTables = 100
    private static let mostColumns = 2000

    let file: ImportFile
    /// The content as UTF-8 without a byte order mark.
    let open: @Sendable () throws(ImportError) -> any ByteSource

    /// The tables as CSV files, each with a name and a content.
    func files() throws(ImportError) -> [ImportFile] {
        let tables = try tables()
        guard !tables.isEmpty else { throw ImportError(.format, "\(file.name) has no readings: no list of objects") }
        return tables.map { table in
            let name = tables.count == 1 || table.path.isEmpty ? file.name : "\(file.name)#\(table.path)"
            var part = ImportFile(name: name) { () throws(ImportError) in
                JSONTableSource(JSONRows(JSONItems(try open(), name: file.name)), table: table)
            }
            part.outerColumns = Set(table.columns).subtracting(table.own)
            return part
        }
    }

    private func tables() throws(ImportError) -> [Table] {
        var rows = JSONRows(JSONItems(try open(), name: file.name))
        var tables: [Table] = []
        var places: [String: Int] = [:]
        var known: [Set<String>] = []
        while let row = try rows.next() {
            let place = places[row.path] ?? tables.count
            if place == tables.count {
                guard tables.count < JSONTables.mostTables else {
                    throw ImportError(
                        .format, "\(file.name) has more than \(JSONTables.mostTables) kinds of lists: it is no export that is known")
                }
                tables.append(Table(path: row.path))
                known.append([])
                places[row.path] = place
            }
            tables[place].rows += 1
            for cell in row.cells {
                if known[place].insert(cell.name).inserted { tables[place].columns.append(cell.name) }
                if !row.around.contains(cell.name) { tables[place].own.insert(cell.name) }
            }
            guard tables[place].columns.count <= JSONTables.mostColumns else {
                throw ImportError(.format, "\(file.name): the objects of \(row.path) have more than \(JSONTables.mostColumns) members")
            }
        }
        return tables
    }
}

/// The objects in lists of a document, each with the members of enclosing objects.
struct JSONItems {
    /// An object, and the path of its list.
    struct Item {
        let path: String
        var context: [JSONMember]
        let value: JSONNode
    }

    private enum Open {
        /// A list of items.
        case list(path: String)
        /// An enclosing object, with its members so far, and whether it contained a list.
        case object(path: String, members: [JSONMember], hadItems: Bool)
    }

    private static let deepest = 8

    private var scanner: JSONScanner
    private var open: [Open] = []

    init(_ source: any ByteSource, name: String) { scanner = JSONScanner(source, name: name) }

    /// The number of bytes read.
    var offset: Int { scanner.offset }

    /// The next object; nil at the end.
    mutating func next() throws(ImportError) -> Item? {
        while true {
            switch open.last {
            case nil:
                guard try scanner.peek() != nil else { return nil }
                _ = try scanner.take(UInt8(ascii: ","))
                if let item = try enter("", []) { return item }
            case .list(let path):
                _ = try scanner.take(UInt8(ascii: ","))
                if try scanner.take(UInt8(ascii: "]")) {
                    open.removeLast()
                    continue
                }
                let value = try scanner.value()
                if value.isObject { return Item(path: path, context: context, value: value) }
            case .object(let path, let members, let hadItems):
                _ = try scanner.take(UInt8(ascii: ","))
                if try scanner.take(UInt8(ascii: "}")) {
                    open.removeLast()
                    if hadItems { mark() }
                    // An object without lists is an item itself, unless it is only next to some.
                    if !hadItems, !members.isEmpty {
                        if let item = close(path, members) { return item }
                    }
                    continue
                }
                let name = try scanner.string()
                try scanner.need(UInt8(ascii: ":"))
                if let item = try enter(path.isEmpty ? name : "\(path).\(name)", [name]) { return item }
            }
        }
    }

    /// The values of the enclosing objects so far.
    private var context: [JSONMember] {
        open.flatMap { level -> [JSONMember] in
            if case .object(_, let members, _) = level { return members.filter { $0.value.text != nil } }
            return []
        }
    }

    private mutating func mark() {
        guard case .object(let path, let members, _)? = open.last else { return }
        open[open.count - 1] = .object(path: path, members: members, hadItems: true)
    }

    /// An object without a list: an item at the top, a member of the enclosing object elsewhere.
    private mutating func close(_ path: String, _ members: [JSONMember]) -> Item? {
        guard case .object(let outer, var known, let hadItems)? = open.last else {
            return Item(path: path, context: [], value: .object(members))
        }
        known.append(JSONMember(name: String(path.dropFirst(outer.isEmpty ? 0 : outer.count + 1)), value: .object(members)))
        open[open.count - 1] = .object(path: outer, members: known, hadItems: hadItems)
        return nil
    }

    /// Enters a list of objects or an object, and stores any other value.
    private mutating func enter(_ path: String, _ name: [String]) throws(ImportError) -> Item? {
        if open.count < JSONItems.deepest {
            if try scanner.take(UInt8(ascii: "{")) {
                open.append(.object(path: path, members: [], hadItems: false))
                return nil
            }
            if try scanner.peek() == UInt8(ascii: "[") {
                _ = try scanner.take(UInt8(ascii: "["))
                if try scanner.peek() == UInt8(ascii: "{") {
                    mark()
                    open.append(.list(path: path))
                    return nil
                }
                var elements: [JSONNode] = []
                while try !scanner.take(UInt8(ascii: "]")) {
                    elements.append(try scanner.value())
                    if try !scanner.take(UInt8(ascii: ",")), try scanner.peek() != UInt8(ascii: "]") {
                        throw scanner.malformed("a comma is missing")
                    }
                }
                keep(name, .array(elements))
                return nil
            }
        }
        keep(name, try scanner.value())
        return nil
    }

    private mutating func keep(_ name: [String], _ value: JSONNode) {
        guard let name = name.first, case .object(let path, var members, let hadItems)? = open.last else { return }
        members.append(JSONMember(name: name, value: value))
        open[open.count - 1] = .object(path: path, members: members, hadItems: hadItems)
    }
}

/// The rows of items.
struct JSONRows {
    /// A row: its table's path, and its filled cells.
    struct Row {
        let path: String
        var cells: [(name: String, text: String)]
        /// The names of cells from enclosing objects.
        var around: [String] = []
    }

    /// Names of lists whose objects are readings of the enclosing object.
    private static let readings: Set<String> = [
        "data", "values", "observations", "samples", "dataset", "readings", "records", "measurements", "points", "point", "entries",
        "samplePoints",
    ]
    /// The number of objects in other lists that become columns by their index.
    private static let mostPlaces = 16

    private var items: JSONItems
    private var waiting: [Row] = []

    init(_ items: JSONItems) { self.items = items }

    mutating func next() throws(ImportError) -> Row? {
        while waiting.isEmpty {
            guard let item = try items.next() else { return nil }
            let rows = JSONRows.rows(item).flatMap(HealthAutoExportRow.split).flatMap(GoogleFitRow.split).flatMap(TidepoolRow.split)
            waiting = rows.reversed()
        }
        return waiting.popLast()
    }

    private static func rows(_ item: JSONItems.Item) -> [Row] {
        let common = item.context.compactMap { member in member.value.text.map { (name: member.name, text: $0) } }
        return rows(item.value, item.path, common, depth: 0)
    }

    /// The rows of an object: one, or those of its list, recursively.
    private static func rows(_ value: JSONNode, _ path: String, _ common: [(name: String, text: String)], depth: Int) -> [Row] {
        guard case .object(let members) = value else { return [] }
        let list = members.first { member in
            // If an object has nothing but a list, the list is its content.
            (readings.contains(member.name) || members.count == 1) && !member.value.elements.isEmpty
                && member.value.elements.allSatisfy(\.isObject)
        }
        var own: [(name: String, text: String)] = []
        for member in members where member.name != list?.name { flatten(member.name, member.value, &own) }
        guard let list, depth < 4 else {
            let names = Set(own.map(\.name))
            return [Row(path: path, cells: joined(own, common), around: common.map(\.name).filter { !names.contains($0) })]
        }
        let inner = path.isEmpty ? list.name : "\(path).\(list.name)", around = joined(own, common)
        return list.value.elements.flatMap { rows($0, inner, around, depth: depth + 1) }
    }

    /// The inner cells, and outer ones with other names.
    private static func joined(_ inner: [(name: String, text: String)], _ outer: [(name: String, text: String)]) -> [(
        name: String, text: String
    )] {
        let names = Set(inner.map(\.name))
        return inner + outer.filter { !names.contains($0.name) }
    }

    private static func flatten(_ name: String, _ value: JSONNode, _ cells: inout [(name: String, text: String)]) {
        switch value {
        case .null: break
        case .literal(let text), .string(let text): if !text.isEmpty { cells.append((name, text)) }
        case .object(let members): for member in members { flatten("\(name).\(member.name)", member.value, &cells) }
        case .array(let elements):
            if elements.isEmpty { return }
            guard elements.allSatisfy(\.isObject), elements.count <= mostPlaces else { return cells.append((name, value.json)) }
            for (index, element) in elements.enumerated() { flatten("\(name).\(index)", element, &cells) }
        }
    }
}

/// One table of a JSON document as CSV.
struct JSONTableSource: ByteSource {
    private var rows: JSONRows
    private let table: JSONTables.Table
    private let places: [String: Int]
    private var pending: [UInt8]
    private var taken = 0

    init(_ rows: JSONRows, table: JSONTables.Table) {
        self.rows = rows
        self.table = table
        places = Dictionary(uniqueKeysWithValues: table.columns.enumerated().map { ($1, $0) })
        pending = Array((CSVText.record(table.columns, delimiter: ",") + "\n").utf8)
    }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while taken == pending.count {
            guard let row = try rows.next() else { return 0 }
            guard row.path == table.path else { continue }
            var cells = Array(repeating: "", count: table.columns.count)
            for cell in row.cells { if let place = places[cell.name] { cells[place] = cell.text } }
            pending = Array((CSVText.record(cells, delimiter: ",") + "\n").utf8)
            taken = 0
        }
        let count = min(limit, pending.count - taken)
        for index in 0..<count { buffer[offset + index] = pending[taken + index] }
        taken += count
        return count
    }
}
