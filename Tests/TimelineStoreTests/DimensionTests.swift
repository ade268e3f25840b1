import SQLiteDatabase
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Numbers of names")
struct DimensionTests {
    /// What an append may have to write before its own transaction.
    enum Kind: String, CaseIterable {
        case participant, source, interval, origin, session, metric, length

        func write(_ name: String, _ cache: inout DimensionCache, on connection: SQLiteConnection) throws -> Int32? {
            switch self {
            case .participant: return try cache.participant(name, on: connection)
            case .source: return try cache.source(name, on: connection)
            case .interval: return try cache.source("watch", interval: Int32(name.utf8.count) * 60, on: connection)
            case .origin: return try cache.origin(name, on: connection)
            case .session: return try cache.session(name, of: 1, on: connection)
            case .metric: return try cache.metric(name, unit: "1", on: connection).id
            case .length:
                try cache.lengthen("ecg", to: Int64(name.utf8.count), on: connection)
                return nil
            }
        }
    }

    /// A database in memory that knows one participant and one metric.
    private func withConnection(_ body: (SQLiteConnection, inout DimensionCache) throws -> Void) throws {
        let connection = try SQLiteConnection(path: ":memory:", durability: .full, readOnly: false)
        try SQLiteMigrator(connection: connection, rollups: nil).run()
        var cache = DimensionCache()
        #expect(try cache.participant("12", on: connection) == 1)
        _ = try cache.metric("ecg", unit: "mV", on: connection)
        try body(connection, &cache)
    }

    @Test(
        "a new one begins the transaction where one is asked for, further new ones join it, and a known one begins none",
        arguments: Kind.allCases)
    func transaction(kind: Kind) throws {
        try withConnection { connection, cache in
            let none = try kind.write("a", &cache, on: connection)
            #expect(!connection.isInTransaction)
            cache.beginsTransaction = true
            #expect(try kind.write("a", &cache, on: connection) == none)
            #expect(!connection.isInTransaction)
            let first = try kind.write("ab", &cache, on: connection)
            #expect(connection.isInTransaction)
            let second = try kind.write("abc", &cache, on: connection)
            #expect(connection.isInTransaction)
            try connection.execute("COMMIT")
            #expect(try kind.write("ab", &cache, on: connection) == first && kind.write("abc", &cache, on: connection) == second)
            #expect(!connection.isInTransaction)
            if kind != .length { #expect(Set([none, first, second]).count == 3) }
            // Whoever knows no name finds the same numbers.
            var other = DimensionCache()
            _ = try other.metric("ecg", unit: "mV", on: connection)
            #expect(try kind.write("ab", &other, on: connection) == first)
        }
    }

    @Test("a source has one for moments and one for each interval length, a session one for each participant")
    func series() throws {
        try withConnection { connection, cache in
            let moments = try cache.source("watch", on: connection)
            let lengths: [Int32] = try [1, 60, 3600].map { try cache.source("watch", interval: $0, on: connection) }
            #expect(Set([moments] + lengths).count == 4)
            #expect(try cache.source("watch", interval: 0, on: connection) == moments)
            let rows = try connection.rows("SELECT name, period FROM source ORDER BY id")
            #expect(rows.map { $0.text(0) } == Array(repeating: "watch", count: 4) && rows.map { $0.integer(1) } == [0, 1, 60, 3600])
            let other = try cache.participant("13", on: connection)
            let sessions = try [1, other].map { try cache.session("05", of: $0, on: connection) }
            #expect(sessions[0] != sessions[1])
            #expect(try connection.rows("SELECT participant FROM session ORDER BY id").map { $0.integer(0) } == [1, Int64(other)])
        }
    }

    @Test("a metric takes title, unit and code from the catalogue, one that is not there its name and the unit it came in")
    func metrics() throws {
        try withConnection { connection, cache in
            let known = try cache.metric("heart-rate", unit: "Hz", on: connection)
            let unknown = try cache.metric("mood-of-mine", unit: "{score}", on: connection)
            #expect(known.unit == "/min" && unknown.unit == "{score}" && known.longest == 0 && known.id != unknown.id)
            let rows = try connection.rows("SELECT id, name, title, unit, system, code FROM metric WHERE name <> 'ecg' ORDER BY id")
            #expect(rows.map { Int32($0.integer(0)) } == [known.id, unknown.id])
            #expect(
                rows[0].values[1...] == [
                    .text("heart-rate"), .text("Heart rate"), .text("/min"), .text("http://loinc.org"), .text("8867-4"),
                ])
            #expect(rows[1].values[1...] == [.text("mood-of-mine"), .text("mood-of-mine"), .text("{score}"), .null, .null])
            // The unit that was stored first stays.
            #expect(try cache.metric("mood-of-mine", unit: "1", on: connection).unit == "{score}")
            var other = DimensionCache()
            #expect(try other.metric("mood-of-mine", unit: "1", on: connection).unit == "{score}")
        }
    }

    @Test("a metric's longest block grows only, whoever notes it")
    func longest() throws {
        try withConnection { connection, cache in
            var other = DimensionCache()
            #expect(try other.metric("ecg", unit: "mV", on: connection).longest == 0)
            func stored() throws -> Int64 { try connection.rows("SELECT longest FROM metric WHERE name = 'ecg'")[0].integer(0) }
            for (length, longest) in [(5, 5), (3, 5), (9, 9)] as [(Int64, Int64)] {
                try cache.lengthen("ecg", to: length, on: connection)
                #expect(cache.metrics["ecg"]?.longest == longest)
                #expect(try stored() == longest)
            }
            try other.lengthen("ecg", to: 4, on: connection)
            #expect(try stored() == 9)
            try cache.lengthen("never-met", to: 4, on: connection)
            var third = DimensionCache()
            #expect(try third.metric("ecg", unit: "mV", on: connection).longest == 9)
        }
    }

    @Test("what it has forgotten it asks for again")
    func forgetting() throws {
        try withConnection { connection, cache in
            try connection.execute("INSERT INTO participant (id, name) VALUES (7, '13')")
            #expect(try cache.participant("13", on: connection) == 7)
            try connection.execute("UPDATE participant SET id = 9 WHERE id = 7")
            #expect(try cache.participant("13", on: connection) == 7)
            cache.removeAll()
            #expect(try cache.participant("13", on: connection) == 9)
            #expect(cache.metrics.isEmpty && !cache.beginsTransaction)
        }
    }
}
