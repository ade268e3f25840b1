import AlertRules
import Foundation
import MessageBus
import Observability
import Shares
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Alerting

@Suite("A state file that is divided among shares", .timeLimit(.minutes(5)))
struct StateMoveTests {
    private static let start: Int64 = 1_700_000_000
    private static let shares = 4
    private static let people = (0..<12).map { "p\($0)" }
    private static let rules = [
        RuleFile(
            name: "test.json5",
            text: """
                {rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110, for: "1m", staleAfter: "2h"},
                  {id: "above", metric: "heart-rate", severity: "warning", above: 110, staleAfter: "2h"}]}
                """)
    ]

    private static func moment(_ second: Int64) -> ClockSample {
        ClockSample(wall: (start + second) * 1_000_000, boot: second * 1_000_000)
    }

    private static func reading(_ value: Double, of person: String, at second: Int64) -> IncomingMessage {
        let time = Timestamp(microseconds: (start + second) * 1_000_000)
        let observation = Observation(metric: "heart-rate", time: time, content: .value(value), unit: "/min")
        let group = ObservationGroup(participant: person, source: "a", received: time, observations: [observation])
        return IncomingMessage(
            topic: Topic.readings(Partition(participant: person)).path,
            payload: BatchEncoder.encode(ObservationBatch(id: "\(person)-\(second)", groups: [group])), retained: false, qos: .atLeastOnce,
            properties: MessageProperties())
    }

    private static func events(_ output: AlertCore.Output) throws -> [String] {
        try output.messages.filter { $0.topic.contains("/alert-events/") }.map {
            let event = try AlertMessage(decoding: $0.payload)
            return "\(event.participant) \(event.rule) \(event.transition) \(event.sequence) \(Int64(event.time) - start)"
        }
    }

    @Test("goes on where the process ended: what was pending, what nobody may have heard of, whom notifiers told, and history")
    func goesOn() async throws {
        let folder = try TemporaryFolder("alert-move")
        let path = folder.path("state.sqlite")
        let alone = try AlertCore(path: path, rules: Self.rules, markerTopic: "m", now: Self.moment(0), bootID: "one")
        var published: [String] = []
        for person in Self.people {
            let output = try await alone.take([Self.reading(120, of: person, at: 5)], now: Self.moment(5))
            published += try Self.events(output)
        }
        let (file, kept) = (try SQLiteAlertStore(path: path), try JSONEncoder().encode(Self.group(Self.people)))
        try file.keep(notifier: "mail", coveredTo: try file.lastEntry(), [("group=heart", [UInt8](kept))])

        let stores = try await ShareStores(shares: Self.shares)
        var move = try StateMove(
            path: path, to: stores.state, shares: Self.shares, now: Self.moment(10), bootID: "one")
        try await move.run(log: Logger(service: "test", level: .error))
        #expect(move.counts.participants == Self.people.count && move.counts.transitions == published.count)
        await #expect(throws: (any Error).self, "a second time there is a state already") {
            var again = try StateMove(path: path, to: stores.state, shares: Self.shares, now: Self.moment(10), bootID: "one")
            try await again.run(log: Logger(service: "test", level: .error))
        }

        var (repeated, later, history, told): ([String], [String], Int, Set<String>) = ([], [], 0, [])
        for number in 0..<Self.shares {
            let share = try ShareStores(on: stores.connection, share: Share(number, of: Self.shares), of: stores)
            let store = try await share.store()
            for group in try store.groups(of: "mail") {
                told.formUnion(try JSONDecoder().decode(NotificationGroup.Kept.self, from: Data(group.state)).told)
            }
            let core = try await share.core(rules: Self.rules, markerTopic: "m", capacity: 100, now: Self.moment(20), bootID: "one")
            try await core.commits?.flush()
            repeated += try Self.events(try await core.leftOver())
            // The same batch once more, which the process had taken, and the time that the delay needs.
            for person in Self.people where share.owns(person) {
                later += try Self.events(try await core.take([Self.reading(120, of: person, at: 5)], now: Self.moment(21)))
                later += try Self.events(try await core.take([Self.reading(120, of: person, at: 70)], now: Self.moment(71)))
            }
            try await core.commits?.flush()
            history = try await store.history(participant: nil, rule: nil, limit: 1000).count
        }
        #expect(repeated.sorted() == published.sorted())
        #expect(later.sorted() == Self.people.map { "\($0) high raised 2 70" }.sorted())
        #expect(history == published.count + Self.people.count)
        #expect(told == Set(Self.people.map { "\($0)/above" }))
    }

    private static func group(_ people: [String]) -> NotificationGroup.Kept {
        NotificationGroup.Kept(
            firing: [], resolved: [:], told: Set(people.map { "\($0)/above" }), newsSince: nil, isUrgent: false, lastSent: nil, number: 1,
            failures: 0, notBefore: 0)
    }
}
