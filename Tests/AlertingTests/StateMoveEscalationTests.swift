import AlertRules
import Foundation
import Observability
import Shares
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Alerting

@Suite("Escalations of a state file that is divided among shares", .timeLimit(.minutes(5)))
struct StateMoveEscalationTests {
    private static let people = (0..<8).map { "p\($0)" }
    private static let rules = RuleFile(name: "r", text: CoordinatorRig.plain)

    private static func moment(_ second: Int64) -> ClockSample {
        ClockSample(wall: (CoordinatorRig.start + second) * 1_000_000, boot: second * 1_000_000)
    }

    /// What a notifier for escalations keeps, of alerts of which some were told.
    private static func group(told: [String], escalated: [String]) -> NotificationGroup.Kept {
        NotificationGroup.Kept(
            firing: [], resolved: [:], told: Set(told.map { "\($0)/high" }), newsSince: 5, isUrgent: false, lastSent: 3, number: 2,
            failures: 0,
            notBefore: 0, escalated: Dictionary(uniqueKeysWithValues: escalated.map { ("\($0)/high", 7) }))
    }

    @Test("each share goes on with its own, also where nothing of it was told yet: who was silenced or is over is told when it is back")
    func escalations() async throws {
        let folder = try TemporaryFolder("alert-move")
        let path = folder.path("state.sqlite")
        _ = try AlertCore(path: path, rules: [Self.rules], markerTopic: "m", now: Self.moment(0), bootID: "one")
        let file = try SQLiteAlertStore(path: path)
        let kept = [
            ("rule=high", Self.group(told: [], escalated: Self.people)), ("group=g", Self.group(told: Self.people, escalated: ["p0"])),
        ]
        try file.keep(notifier: "page", coveredTo: 1, try kept.map { (name: $0.0, state: [UInt8](try JSONEncoder().encode($0.1))) })

        let stores = try await ShareStores(shares: 4)
        var move = try StateMove(path: path, to: stores.state, shares: 4, now: Self.moment(10), bootID: "one")
        try await move.run(log: Logger(service: "test", level: .error))
        var seen: [String] = []
        for share in Share.all(of: 4) {
            let store = try await ShareStores(on: stores.connection, share: share, of: stores).store()
            let own = Set(Self.people.filter(share.owns).map { "\($0)/high" })
            for (name, state) in try store.groups(of: "page") {
                let group = try JSONDecoder().decode(NotificationGroup.Kept.self, from: Data(state))
                #expect(group.told == (name == "group=g" ? own : []), "\(share) \(name)")
                let escalated = Set((group.escalated ?? [:]).keys)
                #expect(escalated == (name == "group=g" ? own.intersection(["p0/high"]) : own), "\(share) \(name)")
                #expect(group.escalated.map { $0.values.allSatisfy { $0 == 7 } } ?? escalated.isEmpty)
                seen += group.escalated.map { Array($0.keys) } ?? []
                // Of alerts that are not there nothing is news.
                #expect(NotificationGroup(group) { _ in nil }.due(NotifierRoute(id: "page")) == nil)
            }
        }
        #expect(seen.sorted() == (Self.people.map { "\($0)/high" } + ["p0/high"]).sorted())
    }
}
