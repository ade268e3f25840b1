import Testing
import TimelineStore
import VigilSchema

@Suite("Alerts' transitions, in both stores")
struct AlertTests {
    private func alert(_ sequence: UInt32, _ transition: String, at seconds: Double, participant: String = "12") -> AlertMessage {
        var alert = AlertMessage(
            participant: participant, rule: "tachycardia", sequence: sequence, transition: transition, cause: "reading",
            time: start.advanced(bySeconds: seconds).seconds, decided: start.seconds, state: "active", severity: "warning",
            priority: "medium", kind: "medical", group: "heart", since: start.seconds, title: ["en": "Fast pulse", "de": "Puls hoch"])
        (alert.metric, alert.value, alert.threshold) = ("heart-rate", 131.5, 130)
        return alert
    }

    @Test("stores each transition once and gives it back whole, earliest first", arguments: StoreKind.allCases)
    func once(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let (raised, cleared) = (alert(1, "raised", at: 0), alert(2, "cleared", at: 60))
            #expect(try await store.append(alerts: [cleared, raised, cleared]) == AppendCounts(stored: 2, duplicates: 1))
            #expect(try await store.append(alerts: [raised]) == AppendCounts(duplicates: 1))
            let end = start.advanced(bySeconds: 61)
            #expect(try await store.alerts(participant: "12", from: start, to: end) == [raised, cleared])
            #expect(try await store.alerts(participant: "12", from: start, to: end, limit: 1) == [cleared])
            #expect(try await store.alerts(participant: "12", from: start, to: start.advanced(bySeconds: 60)) == [raised])
            #expect(try await store.alerts(participant: "13", from: start, to: end).isEmpty)
            #expect(try await store.count("alerts", where: "title = 'Fast pulse' AND transition = 'raised'") == 1)
        }
    }

    @Test("keeps what came after the alerts' numbers started anew", arguments: StoreKind.allCases)
    func anew(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let events = [alert(1, "raised", at: 0), alert(1, "raised", at: 3600)]
            #expect(try await store.append(alerts: events) == AppendCounts(stored: 2))
        }
    }

    @Test("forgets an erased participant's alerts, and stores new ones afterwards", arguments: StoreKind.allCases)
    func erased(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append(alerts: [alert(1, "raised", at: 0), alert(1, "raised", at: 0, participant: "13")])
            #expect(try await store.erase(participant: "12").rows["alert_event"] == 1)
            #expect(try await store.count("alert_event") == 1)
            #expect(try await store.append(alerts: [alert(2, "cleared", at: 5)]) == AppendCounts(stored: 1))
        }
    }
}
