import Testing
import TimelineStore
import VigilSchema

/// Two stores of one database: what one removes, the other remembers.
@Suite("Names that another process has removed, in both stores")
struct RememberedNamesTests {
    private func values(_ store: any SQLTimelineStore, _ participant: String) async throws -> [Double?] {
        let page = try await store.readings(
            participant: participant, from: start.advanced(bySeconds: -100), to: start.advanced(bySeconds: 100))
        return page.readings.map(\.value)
    }

    @Test("nobody's readings become those of whoever was given the number next", arguments: StoreKind.allCases, [false, true])
    func participants(_ kind: StoreKind, _ isAtOnce: Bool) async throws {
        try await kind.withStores(2) { stores async throws in
            let (here, there) = (stores[0], stores[1])
            _ = try await there.append([batch([heartRate(60)], participant: "anna", origin: "import-1")])
            #expect(try await here.undo(origin: "import-1").removed == 1)
            let bert = batch([heartRate(70)], participant: "bert"), anna = batch([heartRate(61, at: 1)], participant: "anna")
            if isAtOnce {
                #expect(try await there.append([anna, bert]) == [AppendCounts(stored: 1), AppendCounts(stored: 1)])
            } else {
                #expect(try await there.append([bert]) == [AppendCounts(stored: 1)])
                #expect(try await there.append([anna]) == [AppendCounts(stored: 1)])
            }
            #expect(try await values(there, "bert") == [70])
            #expect(try await values(there, "anna") == [61])
            #expect(try await here.participants() == ["anna", "bert"])
        }
    }

    @Test("nobody's alert becomes that of whoever was given the number next", arguments: StoreKind.allCases)
    func alerts(_ kind: StoreKind) async throws {
        try await kind.withStores(2) { stores async throws in
            let (here, there) = (stores[0], stores[1])
            _ = try await there.append([batch([heartRate(60)], participant: "anna", origin: "import-1")])
            _ = try await here.undo(origin: "import-1")
            _ = try await there.append([batch([heartRate(70)], participant: "bert")])
            let alert = AlertMessage(
                participant: "anna", rule: "tachycardia", sequence: 1, transition: "raised", cause: "reading", time: start.seconds,
                decided: start.seconds, state: "active", severity: "warning", priority: "medium", kind: "medical", group: "heart",
                since: start.seconds)
            #expect(try await there.append(alerts: [alert]) == AppendCounts(stored: 1))
            let (from, to) = (start.advanced(bySeconds: -1), start.advanced(bySeconds: 1))
            #expect(try await there.alerts(participant: "anna", from: from, to: to) == [alert])
            #expect(try await there.alerts(participant: "bert", from: from, to: to) == [])
        }
    }

    @Test(
        "two sessions of one append stay two, where the number of one that was removed is given to the other", arguments: StoreKind.allCases
    )
    func sessionsAtOnce(_ kind: StoreKind) async throws {
        try await kind.withStores(2) { stores async throws in
            let (here, there) = (stores[0], stores[1])
            _ = try await there.append([batch([heartRate(60)], session: "own")])
            _ = try await there.append([batch([heartRate(62, at: 2)], session: "ride", origin: "import-1")])
            #expect(try await here.undo(origin: "import-1").removed == 1)
            let batches = [
                batch([heartRate(63, at: 9)], session: "ride"), batch([heartRate(64, at: 10)], session: "ride"),
                batch([heartRate(70, at: 5)], session: "walk"),
            ]
            #expect(try await there.append(batches) == Array(repeating: AppendCounts(stored: 1), count: 3))
            let times = [0, 9, 10, 5].map { start.advanced(bySeconds: $0) }
            #expect(
                try await there.sessions(participant: "12").sorted { $0.name < $1.name } == [
                    SessionSummary(name: "own", first: times[0], last: times[0]),
                    SessionSummary(name: "ride", first: times[1], last: times[2]),
                    SessionSummary(name: "walk", first: times[3], last: times[3]),
                ])
        }
    }

    @Test("a session that comes again is found by its name, and is nobody else's", arguments: StoreKind.allCases)
    func sessions(_ kind: StoreKind) async throws {
        try await kind.withStores(2) { stores async throws in
            let (here, there) = (stores[0], stores[1])
            _ = try await there.append([batch([heartRate(60)], session: "own"), batch([heartRate(60)], participant: "13")])
            _ = try await there.append([batch([heartRate(62, at: 2)], session: "ride", origin: "import-1")])
            #expect(try await here.undo(origin: "import-1").removed == 1)
            _ = try await there.append([batch([heartRate(70, at: 5)], participant: "13", session: "walk")])
            #expect(try await there.append([batch([heartRate(63, at: 9)], session: "ride")]) == [AppendCounts(stored: 1)])
            let (fifth, ninth) = (start.advanced(bySeconds: 5), start.advanced(bySeconds: 9))
            #expect(
                try await there.sessions(participant: "12").sorted { $0.name < $1.name } == [
                    SessionSummary(name: "own", first: start, last: start), SessionSummary(name: "ride", first: ninth, last: ninth),
                ])
            #expect(try await there.sessions(participant: "13") == [SessionSummary(name: "walk", first: fifth, last: fifth)])
            let page = try await there.readings(participant: "12", from: ninth, to: ninth.advanced(bySeconds: 1))
            #expect(page.readings.map(\.session) == ["ride"])
        }
    }
}
