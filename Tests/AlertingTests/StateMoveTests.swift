import AlertRules
import Foundation
import MessageBus
import Observability
import Settings
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
            history = try await store.history.newest(participant: nil, rule: nil, limit: 1000).count
        }
        #expect(repeated.sorted() == published.sorted())
        #expect(later.sorted() == Self.people.map { "\($0) high raised 2 70" }.sorted())
        #expect(history == published.count + Self.people.count)
        #expect(told == Set(Self.people.map { "\($0)/above" }))
    }

    /// A batch of a score of somebody, as it waits to be published.
    private static func score(of person: String) -> AlertEntry {
        let one = Observation(metric: "news2-score", time: Timestamp(microseconds: 1), content: .value(3), unit: "1")
        let group = ObservationGroup(participant: person, source: "vigil-alert", received: Timestamp(microseconds: 1), observations: [one])
        return AlertEntry(kind: .message, topic: "t-\(person)", content: BatchEncoder.encode(ObservationBatch(id: person, groups: [group])))
    }

    @Test(
        "each share gets its own, numbered anew: what waits to be published, whom notifiers told and have still to tell, and people's states"
    )
    func own() async throws {
        let folder = try TemporaryFolder("alert-move")
        let path = folder.path("state.sqlite")
        let alone = try AlertCore(path: path, rules: Self.rules, markerTopic: "m", now: Self.moment(0), bootID: "one")
        for person in Self.people { _ = try await alone.take([Self.reading(120, of: person, at: 5)], now: Self.moment(5)) }
        // Somebody was forgotten meanwhile.
        _ = try await alone.take([Self.reading(90, of: "gone", at: 5)], now: Self.moment(5))
        _ = try await alone.erase("gone", now: Self.moment(6))
        let file = try SQLiteAlertStore(path: path)
        let scores = try file.commit(JournalRecord(), Self.people.map(Self.score), published: 0)
        let transitions = try file.transitions(after: 0, limit: 1000)
        #expect(transitions.count == Self.people.count * 2)
        // The broker has the transitions, and not the scores.
        _ = try file.commit(JournalRecord(), [], published: scores[0].id - 1)
        var group = Self.group(Self.people)
        group.firing = transitions.filter { $0.rule == "above" }.map(\.id)
        group.resolved = Dictionary(transitions.filter { $0.rule == "high" }.map { ($0.id, "critical") }, uniquingKeysWith: { $1 })
        try file.keep(notifier: "mail", coveredTo: transitions[0].id, [("group=heart", [UInt8](try JSONEncoder().encode(group)))])
        try file.keep(notifier: "page", coveredTo: scores[0].id, [("group=none", [UInt8](try JSONEncoder().encode(Self.group([]))))])

        let stores = try await ShareStores(shares: Self.shares)
        var move = try StateMove(path: path, to: stores.state, shares: Self.shares, now: Self.moment(10), bootID: "one")
        try await move.run(log: Logger(service: "test", level: .error))
        var (people, waiting, mails): ([String], [String], Int) = ([], [], 0)
        for number in 0..<Self.shares {
            let share = try ShareStores(on: stores.connection, share: Share(number, of: Self.shares), of: stores)
            let store = try await share.store()
            var own: [String] = []
            try store.eachParticipant { own.append("\($0.index) \($0.name)") }
            let names = own.map { String($0.split(separator: " ").last ?? "") }
            #expect(names.allSatisfy(share.owns) && own.map { $0.split(separator: " ").first ?? "" } == own.indices.map { "\($0)" })
            people += names
            let unpublished = try store.unpublished()
            #expect(unpublished.allSatisfy { $0.kind == .message && share.owns(String($0.topic.dropFirst(2))) })
            waiting += unpublished.map(\.topic)
            let all = try await store.transitions(after: 0, limit: 1000)
            #expect(all.allSatisfy { share.owns($0.participant) } && all.count == names.count * 2)
            for kept in try store.groups(of: "mail") {
                mails += 1
                let group = try JSONDecoder().decode(NotificationGroup.Kept.self, from: Data(kept.state))
                #expect(group.told == Set(names.map { "\($0)/above" }))
                #expect(Set(group.firing) == Set(all.filter { $0.rule == "above" }.map(\.id)))
                #expect(Set(group.resolved.keys) == Set(all.filter { $0.rule == "high" }.map(\.id)))
                #expect(group.resolved.values.allSatisfy { $0 == "critical" })
            }
            #expect(try store.groups(of: "page").isEmpty, "nothing is left of it")
            // Of the first transition only one share knows; the others have yet to tell all of theirs.
            let first = try all.first { try AlertMessage(decoding: $0.content) == AlertMessage(decoding: transitions[0].content) }
            #expect(try store.cursor(of: "mail") == first?.id ?? 0)
            // The first score is the last that the other has covered; of the others all transitions are.
            let covered = share.owns(Self.people[0]) ? unpublished.first : all.last
            #expect(try store.cursor(of: "page") == covered?.id)
            #expect(try store.meta("time") == file.meta("time") && store.rules() == Self.rules)
        }
        #expect(people.sorted() == Self.people.sorted() && waiting.sorted() == Self.people.map { "t-\($0)" }.sorted())
        #expect(mails == move.counts.notifications && move.counts.participants == Self.people.count)
        #expect(move.counts.transitions == Self.people.count * 2)
    }

    @Test("what is no state, or none yet, is said")
    func nothing() async throws {
        let folder = try TemporaryFolder("alert-move")
        let state = try await ShareStores().state
        let missing = #expect(throws: CommandError.self) { try StateMove(path: folder.path("none"), to: state, shares: 1) }
        #expect(missing?.exitCode == .noInput && missing?.description.contains("there is no state file") == true)
        _ = try SQLiteAlertStore(path: folder.path("empty"))
        let empty = #expect(throws: CommandError.self) { try StateMove(path: folder.path("empty"), to: state, shares: 1) }
        #expect(empty?.exitCode == .data && empty?.description.contains("holds no state yet") == true)
    }

    private static func group(_ people: [String]) -> NotificationGroup.Kept {
        NotificationGroup.Kept(
            firing: [], resolved: [:], told: Set(people.map { "\($0)/above" }), newsSince: nil, isUrgent: false, lastSent: nil, number: 1,
            failures: 0, notBefore: 0)
    }
}
