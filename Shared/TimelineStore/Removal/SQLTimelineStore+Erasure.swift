package import VigilSchema

extension SQLTimelineStore {
    package func erase(participant: String) async throws(StoreError) -> ErasureReport {
        let imports = try await imports(participant: participant)
        var report = try await remove { connection throws(StoreError) in
            var report = ErasureReport()
            // An append holds the row until its commit: what it stores is seen by the statements below.
            let sql = "SELECT id FROM participant WHERE name = $1 \(type(of: connection).lockingClause)"
            guard let number = try connection.rows(sql, [.text(participant)]).first?.integer(0) else {
                // Of somebody of whom nothing is stored there may be questions in the audit trail.
                report.pseudonym = try AuditTrail(connection: connection).forget(participant)
                return report
            }
            report.imports = imports.isEmpty ? nil : imports
            let sealed = try connection.rows("SELECT sum(count) FROM sealed WHERE participant = $1", [.integer(number)])
            if let count = sealed.first?.integer(0), count > 0 { report.rows["reading"] = Int(count) }
            for table in personalTables {
                let count = try connection.run("DELETE FROM \(table) WHERE participant = $1", [.integer(number)])
                if count > 0, table != "sealed" { report.rows[table, default: 0] += count }
            }
            report.pseudonym = try AuditTrail(connection: connection).forget(participant)
            let sources = try renameSources(of: participant, connection)
            if sources > 0 { report.rows["source"] = sources }
            report.rows["participant"] = try connection.run("DELETE FROM participant WHERE id = $1", [.integer(number)])
            return report
        }
        // Also where nothing was found: the order may be a second one, after a first that could not wipe.
        let freed = try await wipeRemoved()
        report.freed = freed.isEmpty ? nil : freed
        return report
    }
}

/// Gives devices that are called after a participant (`anna-watch`) another name: others' readings may come from them too.
private func renameSources(of participant: String, _ connection: any SQLConnection) throws(StoreError) -> Int {
    var count = 0
    for row in try connection.rows("SELECT id, name FROM source") where row.text(1).holdsWord(participant) {
        try connection.run("UPDATE source SET name = $1 WHERE id = $2", [.text("~\(row.integer(0))"), .integer(row.integer(0))])
        count += 1
    }
    return count
}

extension String {
    /// Tells whether the name stands in it by itself, between marks that are no letters.
    func holdsWord(_ name: String) -> Bool {
        var rest = self[...]
        while let range = rest.firstRange(of: name) {
            let before = rest[..<range.lowerBound].last, after = rest[range.upperBound...].first
            if ![before, after].contains(where: { $0.map { $0.isLetter || $0.isNumber || $0 == "_" } == true }) { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }
}
