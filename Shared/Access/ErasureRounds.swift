package import VigilSchema

/// The order to forget a participant, given to one service after the other until a whole round finds nothing any more.
///
/// The order follows the way of a reading: who could pass something on comes before who would keep it. What was under way in one
/// round is found by the next.
package struct ErasureRounds: Sendable {
    /// A line of the table: a service, and what it removed.
    package struct Row: Sendable, Hashable {
        package let service: String
        package var removed: [String: Int] = [:]
        /// The reason why something may be left.
        package var problem: String?

        package init(service: String, removed: [String: Int] = [:]) { (self.service, self.removed) = (service, removed) }
    }

    /// Whether a service is at the broker.
    package enum Presence: Sendable { case never, offline, online }

    /// The way to the services.
    package protocol Suite: Sendable {
        func presence(of service: String) -> Presence
        /// - Parameter imports: the imports that brought something of the participant: files may say nothing of whom they are about.
        func erase(_ participant: String, from service: String, imports: [String]) async throws -> [String: Int]
        func eraseFromTimeline(_ participant: String) async throws -> ErasureReport
        /// The name of that from which no service removes anything; nil where that is somebody else's.
        var unattended: String? { get }
        func sweep(_ participant: String) async throws -> [String: Int]
        /// The reason why something of a service may be left. Throws what ends the rounds.
        func problem(_ error: any Error, with service: String) throws -> String
    }

    /// The services' names in the topic, in the order in which they are asked.
    package static let services = ["import", "ingest", "stress", "modules", "alert", "dashboard", "timeline"]
    private static let most = 5
    private static let timeline = "vigil-timeline"

    /// The participant's name in the audit trail from now on; nil where it never named them.
    package private(set) var pseudonym: String?
    /// The database's tables in which what was removed is only freed.
    package private(set) var freed: Set<String> = []
    /// The imports that brought something of the participant.
    package private(set) var imports: Set<String> = []

    package init() {}

    /// Gives the order until nothing is found, and returns what was.
    package mutating func run(_ participant: String, in suite: some Suite) async throws -> [Row] {
        var rows = Self.services.map { Row(service: "vigil-\($0)") } + (suite.unattended.map { [Row(service: $0)] } ?? [])
        for round in 1...Self.most {
            var found = 0
            for index in rows.indices where isThere(rows[index].service, suite) {
                found += try await ask(&rows[index], participant, suite)
            }
            let isLacking = rows.contains { $0.problem != nil && suite.presence(of: $0.service) == .online }
            if found == 0, round == Self.most || !isLacking { break }
            if found > 0, round == Self.most {
                rows[0].problem = "something new came in each of \(round) rounds: stop what still sends for \(participant), then ask again"
            }
        }
        return rows
    }

    private func isThere(_ service: String, _ suite: some Suite) -> Bool {
        [Self.timeline, suite.unattended].contains(service) || suite.presence(of: service) != .never
    }

    /// Gives one service the order; returns the number of things that it removed.
    private mutating func ask(_ row: inout Row, _ participant: String, _ suite: some Suite) async throws -> Int {
        row.problem = nil
        do {
            if row.service == Self.timeline {
                let report = try await suite.eraseFromTimeline(participant)
                pseudonym = pseudonym ?? report.pseudonym
                freed.formUnion(report.freed ?? [])
                imports.formUnion(report.imports ?? [])
                return row.add(report.rows)
            }
            if row.service == suite.unattended { return row.add(try await suite.sweep(participant)) }
            guard suite.presence(of: row.service) == .online else {
                row.problem = "is not running; what it keeps is still there"
                return 0
            }
            let name = String(row.service.dropFirst("vigil-".count))
            return row.add(try await suite.erase(participant, from: name, imports: name == "import" ? imports.sorted() : []))
        } catch {
            row.problem = try suite.problem(error, with: row.service)
            return 0
        }
    }
}

extension ErasureRounds.Row {
    fileprivate mutating func add(_ removed: [String: Int]) -> Int {
        self.removed.merge(removed) { $0 + $1 }
        return removed.values.reduce(0, +)
    }
}
