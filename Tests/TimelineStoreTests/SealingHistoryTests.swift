import Testing
import VigilSchema

@testable import TimelineStore

/// The same random history in two stores: one seals and unseals in between, at any moment and with failures at any
/// statement, the other never does.
@Suite("Sealing, against a store without it")
struct SealingHistoryTests {
    @Test("every answer stays the same", arguments: StoreKind.sealing, 0..<3)
    func sameAnswers(_ kind: StoreKind, seed: Int) async throws {
        try await kind.withStore { sealing async throws in
            try await kind.withStore { plain async throws in
                var history = RandomHistory(seed: seed)
                var sealed = 0
                for step in 0..<30 {
                    let change = history.next()
                    let given = try await change.make(in: sealing), expected = try await change.make(in: plain)
                    #expect(given == expected, "seed \(seed), step \(step): \(change)")
                    sealed += try await history.seal(in: sealing)
                    guard step % 5 == 4 else { continue }
                    let (answers, truth) = (try await Answers.all(sealing, &history), try await Answers.all(plain, &history))
                    for (answer, expected) in zip(answers, truth) {
                        #expect(answer == expected, "seed \(seed), step \(step)")
                    }
                }
                #expect(sealed > 0)
                _ = try await sealing.unsealDays()
                #expect(try await sealing.count("sealed") == 0)
                let tables = (try await Self.rows(sealing), try await Self.rows(plain))
                #expect(tables.0 == tables.1)
            }
        }
    }

    /// Everything that the tables hold, but the numbers of corrections.
    private static func rows(_ store: any SQLTimelineStore) async throws -> [[SQLRow]] {
        try await store.read { connection throws(StoreError) in
            let identity = "time, participant, metric, source, seq"
            let rollups = try RollupLevel.allCases.map { level throws(StoreError) in
                try connection.rows("SELECT * FROM \(level.table) ORDER BY participant, metric, time, source")
            }
            return rollups + [
                try connection.rows("SELECT * FROM reading ORDER BY \(identity)"),
                try connection.rows("SELECT \(identity), value, text, received, replaced, origin, session FROM correction ORDER BY id"),
                try connection.rows("SELECT * FROM session ORDER BY id"), try connection.rows("SELECT * FROM participant ORDER BY id"),
            ]
        }
    }
}

extension StoreKind {
    /// The stores that seal.
    static let sealing = StoreKind.allCases
}

/// What somebody does to a store.
private enum Change: CustomStringConvertible {
    case append(ObservationBatch)
    case undo(String)
    case erase(String)
    case retain(days: Int, now: Timestamp)
    case recount
    case remove(participant: String, at: Timestamp)

    var description: String {
        switch self {
        case .append(let batch): "append of \(batch.count) from \(batch.origin ?? "nowhere")"
        case .undo(let origin): "undo \(origin)"
        case .erase(let participant): "erase \(participant)"
        case .retain(let days, _): "retain \(days) days"
        case .recount: "recount"
        case .remove(let participant, let time): "remove \(participant) at \(time)"
        }
    }

    /// Does it, and returns what it said.
    func make(in store: any SQLTimelineStore) async throws -> String {
        switch self {
        case .append(let batch): return "\(try await store.append([batch]))"
        case .undo(let origin): return "\(try await store.undo(origin: origin))"
        case .erase(let participant):
            let report = try await store.erase(participant: participant)
            return "\(report.rows.sorted { $0.key < $1.key }) \(report.imports ?? [])"
        case .retain(let days, let now):
            try await store.setRetention(RetentionRule(.raw, metric: "heart-rate", days: days))
            let rows = try await store.applyRetention(now: now).rows.sorted { $0.key < $1.key }
            return "\(rows)"
        case .remove(let participant, let time):
            return "\(try await store.removeReadings(["heart-rate", "steps"], participant: participant, source: "watch", at: time))"
        case .recount:
            try await store.recountRollups()
            return ""
        }
    }
}

private struct RandomHistory {
    private static let days = 6
    private var random: Generator
    private var said: [ObservationBatch] = []
    private var origins = 0
    private var clock = start

    init(seed: Int) { random = Generator(state: UInt64(seed) &* 7919 &+ 3) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func one<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    mutating func next() -> Change {
        clock = clock.advanced(bySeconds: 10)
        switch number(0...29) {
        case 0, 1: return .undo("import-\(number(0...max(0, origins)))")
        case 2: return .erase(one(["anna", "ben"]))
        case 3: return .retain(days: number(3...9), now: start.advanced(bySeconds: Double(Self.days + 3) * 86_400))
        case 4: return .recount
        case 5 where !said.isEmpty:
            let group = one(said).groups[0]
            return .remove(participant: group.participant, at: one(group.observations).time)
        case 5...9: return .append(said.isEmpty ? run() : again(one(said)))
        default: return .append(run())
        }
    }

    /// A series' readings of some time, of which some may share a time.
    private mutating func run() -> ObservationBatch {
        let step = one([0.5, 1, 7, 60, 600]), first = Double(number(0...Self.days * 86_400 - 1))
        let metric = one(["heart-rate", "heart-rate", "steps", "note"])
        let isLong = number(0...39) == 0
        let observations = (0..<(isLong ? 20_000 : number(1...120))).map { (index: Int) -> Observation in
            let time = start.advanced(bySeconds: first + Double(index - index % 5 / 4) * (isLong ? 0.5 : step))
            let sequence = Int32(index % 5 == 4 ? 1 : 0)
            let zone: Int16? = number(0...9) < 9 ? 60 : nil
            guard metric != "note" else {
                return Observation(metric: "note", time: time, sequence: sequence, content: .text("n\(index % 3)"), unit: "1", zone: zone)
            }
            return Observation(
                metric: metric, time: time, sequence: sequence, interval: metric == "steps" && index % 2 == 0 ? 60 : 0,
                content: .value(Double(number(100...240)) / 2), unit: metric == "steps" ? "{steps}" : "/min", zone: zone)
        }
        let origin = number(0...2) == 0 ? "import-\(origins + number(0...1))" : nil
        if origin != nil { origins += number(0...1) }
        let made = batch(
            observations, participant: one(["anna", "ben"]), source: one(["watch", "strap"]), session: one([nil, "01", "02"]),
            received: clock.advanced(bySeconds: Double(number(-40...3))), origin: origin)
        said.append(made)
        return made
    }

    /// A part of what was said, at another time or from elsewhere, some of it corrected.
    private mutating func again(_ batch: ObservationBatch) -> ObservationBatch {
        var batch = batch
        batch.origin = one([batch.origin, nil, "import-\(origins)"])
        let isCorrected = number(0...1) == 0
        for index in batch.groups.indices {
            if number(0...3) > 0 { batch.groups[index].received = clock }
            let all = batch.groups[index].observations
            let part = all.prefix(number(1...all.count)).suffix(number(1...all.count))
            batch.groups[index].observations = part.enumerated().map { place, observation in
                var observation = observation
                if isCorrected, place % 7 == 0, case .value(let value) = observation.content { observation.content = .value(value + 1) }
                return observation
            }
        }
        said.append(batch)
        return batch
    }

    /// Seals or unseals what it comes upon, and returns how many readings were sealed.
    mutating func seal(in store: any SQLTimelineStore) async throws -> Int {
        let end = start.advanced(bySeconds: Double(number(0...Self.days + 2)) * 86_400)
        switch number(0...7) {
        case 0: return try await store.unsealDays().readings * 0
        case 1, 2:
            // The work of a run that ends with the process, at any statement.
            let failure = number(1...12)
            let rows = try await store.read { connection throws(StoreError) in
                try connection.rows("SELECT participant, metric, source, min(time) FROM reading GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")
            }
            for row in rows {
                let day = RollupKey(Identity(sealed: row), level: .day)
                _ = try? await store.write { connection throws(StoreError) in
                    _ = try SealedTable(failing(connection, after: failure)).seal(day)
                    throw StoreError(.failed, operation: "test", detail: "the process ends")
                }
            }
            return 0
        case 3...5: return try await store.sealDays(before: end).readings
        default: return 0
        }
    }
}

/// Everything that a store can be asked.
private enum Answers {
    static func all(_ store: any SQLTimelineStore, _ history: inout RandomHistory) async throws -> [String] {
        let (first, last) = (start.advanced(bySeconds: -86_400), start.advanced(bySeconds: 10 * 86_400))
        var answers = ["\(try await store.participants())"]
        for person in ["anna", "ben"] {
            answers.append("\(try await store.metrics(participant: person, counted: true))")
            answers.append("\(try await store.latest(participant: person))")
            answers.append("\(try await store.sessions(participant: person))")
            answers.append("\(try await store.imports(participant: person))")
            answers.append(
                "\(try await store.corrections(participant: person, after: 0).map { ($0.time, $0.value, $0.received, $0.replaced) })")
            for level in RollupLevel.allCases {
                answers.append("\(try await store.sums(participant: person, level, after: SumPlace()).sums)")
            }
            for span in [PageSpan.day, .month] { answers.append("\(try await store.page(participant: person, span, to: last))") }
            for selection in selections { answers.append("\(try await pages(store, person, first, last, selection))") }
            let part = (start.advanced(bySeconds: 86_400 * 1.3), start.advanced(bySeconds: 86_400 * 2.7))
            answers.append("\(try await pages(store, person, part.0, part.1, .init(), metric: "heart-rate"))")
            for metric in ["heart-rate", "steps"] {
                for source in [nil, "watch"] {
                    let range = SeriesRange(participant: person, metric: metric, from: first, to: last, source: source)
                    let short = SeriesRange(
                        participant: person, metric: metric, from: part.0, to: part.0.advanced(bySeconds: 3000), source: source)
                    answers.append("\(try await store.series(range, width: 100))")
                    answers.append("\(try await store.series(short, width: 200))")
                    answers.append("\(try await store.gaps(range, longerThan: 3600))")
                    answers.append("\(try await store.gaps(short, longerThan: 5))")
                    answers.append("\(try await store.sources(range))")
                    for binning in HistogramBinning.allCases {
                        answers.append("\(try await store.histogram(range, by: binning, zone: "Europe/Berlin"))")
                    }
                }
            }
        }
        return answers
    }

    private static let selections: [TimelineQuery.Selection] = [
        .init(), .init(isNewestFirst: true), .init(metrics: ["heart-rate", "note"]),
        .init(metrics: ["steps", "heart-rate"], isNewestFirst: true),
        .init(received: .init(from: start.advanced(bySeconds: 30), to: start.advanced(bySeconds: 200))),
        .init(received: .init(to: start.advanced(bySeconds: 100)), isNewestFirst: true),
    ]

    /// The readings of all pages.
    private static func pages(
        _ store: any SQLTimelineStore, _ person: String, _ from: Timestamp, _ to: Timestamp, _ selection: TimelineQuery.Selection,
        metric: String? = nil
    ) async throws -> [StoredReading] {
        var readings: [StoredReading] = []
        var after: ReadingsCursor?
        repeat {
            let page = try await store.readings(
                participant: person, metric: metric, from: from, to: to, selection: selection, limit: 3000, after: after)
            readings += page.readings
            after = page.next
        } while after != nil
        return readings
    }
}

/// A connection that is lost after some statements.
private final class FailingConnection<Base: SQLConnection>: SQLConnection {
    private let base: Base
    private var rest: Int

    init(_ base: Base, after count: Int) { (self.base, rest) = (base, count) }

    private func count() throws(StoreError) {
        rest -= 1
        if rest < 0 { throw StoreError(.connectionLost, operation: "test", detail: "the process ends") }
    }

    static var beginWriting: String { Base.beginWriting }
    static var lockingClause: String { Base.lockingClause }
    static func elements(of parameter: String) -> String { Base.elements(of: parameter) }
    static func daily(where condition: String) -> String { Base.daily(where: condition) }
    static func moment(_ column: String, plus seconds: Int) -> String { Base.moment(column, plus: seconds) }
    static var tableSizes: String { Base.tableSizes }
    static func bucketStart(_ column: String, _ level: RollupLevel) -> String { Base.bucketStart(column, level) }

    var isInTransaction: Bool { base.isInTransaction }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        try count()
        return try base.rows(sql, values)
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        try count()
        return try base.run(sql, values)
    }

    func execute(_ sql: String) throws(StoreError) {
        try count()
        try base.execute(sql)
    }

    func dropPartitions(of table: String, before end: Int64) throws(StoreError) -> [String] {
        try base.dropPartitions(of: table, before: end)
    }

    func lockRollups() throws(StoreError) { try base.lockRollups() }
    func lockSealing() throws(StoreError) { try base.lockSealing() }
    func insert(_ readings: [SealedReading], of series: RollupKey) throws(StoreError) { try base.insert(readings, of: series) }
    func add(_ sums: [(key: RollupKey, aggregate: Aggregate)], to level: RollupLevel) throws(StoreError) { try base.add(sums, to: level) }
    func recount(_ keys: [RollupKey], _ level: RollupLevel) throws(StoreError) { try base.recount(keys, level) }
}

private func failing(_ connection: any SQLConnection, after count: Int) -> any SQLConnection {
    func wrap<Base: SQLConnection>(_ base: Base) -> any SQLConnection { FailingConnection(base, after: count) }
    return wrap(connection)
}
