import SQLiteDatabase
import Testing

@Suite("Database")
struct DatabaseTests {
    @Test("gives back every kind of value as it was bound")
    func values() throws {
        let database = try Database(path: ":memory:")
        try database.execute("CREATE TABLE t (a, b, c, d, e, f)")
        let values: [SQLiteValue] = [.null, .integer(.max), .real(0.1), .text(""), .blob([]), .text("a\0b")]
        try database.run("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", values)
        let row = try database.statement("SELECT a, b, c, d, e, f, typeof(d), typeof(e) FROM t")
        #expect(try row.step())
        #expect(row.isNull(0))
        #expect(row.integer(1) == .max)
        #expect(row.real(2) == 0.1)
        #expect(row.text(3) == "" && row.text(6) == "text")
        #expect(row.blob(4) == [] && row.text(7) == "blob")
        #expect(row.text(5) == "a\0b")
    }

    @Test("rolls a transaction back when its body throws")
    func rollback() throws {
        let database = try Database(path: ":memory:")
        try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)")
        let error = #expect(throws: SQLiteError.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES (1)")
                try database.run("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.isConstraint == true)
        let count = try database.statement("SELECT count(*) FROM t")
        _ = try count.step()
        #expect(count.integer(0) == 0)
    }
}
