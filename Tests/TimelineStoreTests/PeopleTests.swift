import Testing
import TimelineStore
import VigilSchema

@Suite("Entries and profiles, in both stores")
struct PeopleTests {
    @Test("gives an entry back as it was posted, and the newer of two with one id", arguments: StoreKind.allCases)
    func entries(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            var entry = TimelineEntry(
                id: "a1", kind: .medication, time: start, ends: start.advanced(bySeconds: 86_400), description: "Aspirin", value: 100,
                unit: "mg", codes: ["RxNorm": ["1191"]], detail: "after meals")
            let plain = TimelineEntry(id: "a2", kind: .note, time: start.advanced(bySeconds: 10), description: "slept badly")
            try await store.post(entry, participant: "12", received: start)
            try await store.post(plain, participant: "12", received: start)
            let end = start.advanced(bySeconds: 100)
            #expect(try await store.entries(participant: "12", from: start, to: end) == [entry, plain])
            entry.ends = nil
            try await store.post(entry, participant: "12", received: start)
            #expect(try await store.entries(participant: "12", from: start, to: end) == [entry, plain])
            // A medicine without an end is still taken in a range that starts later.
            #expect(try await store.entries(participant: "12", from: start.advanced(bySeconds: 5), to: end) == [entry, plain])
            #expect(try await store.entries(participant: "12", from: start.advanced(bySeconds: -9), to: start).isEmpty)
            #expect(try await store.removeEntry("a2", participant: "12"))
            #expect(try await store.removeEntry("a2", participant: "12") == false)
            #expect(try await store.erase(participant: "12").rows["entry"] == 1)
        }
    }

    @Test("what stands without an end is of every later day, of the kinds that are asked for", arguments: StoreKind.allCases)
    func standing(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let years = start.advanced(bySeconds: 15 * 365 * 86_400)
            for entryKind in TimelineEntry.Kind.allCases {
                let entry = TimelineEntry(id: entryKind.rawValue, kind: entryKind, time: start, description: entryKind.rawValue)
                try await store.post(entry, participant: "12", received: start)
            }
            let ended = TimelineEntry(id: "old", kind: .allergy, time: start, ends: start.advanced(bySeconds: 60), description: "once")
            try await store.post(ended, participant: "12", received: start)
            let later = try await store.entries(participant: "12", from: years, to: years.advanced(bySeconds: 1))
            #expect(Set(later.map(\.id)) == ["allergy", "condition", "medication"])
            let some = try await store.entries(
                participant: "12", from: start, to: years, kinds: [.immunization, .result], limit: 1, bytes: 1000, after: nil)
            #expect(some.entries.map(\.id) == ["immunization"])
            let rest = try await store.entries(
                participant: "12", from: start, to: years, kinds: [.immunization, .result], limit: 9, bytes: 1000, after: some.next)
            #expect(rest.entries.map(\.id) == ["result"])
        }
    }

    @Test(
        "gives entries page by page, whatever is removed between pages, and reads only those for which there is room",
        arguments: StoreKind.allCases)
    func pages(_ kind: StoreKind) async throws {
        try await kind.withStore { real async throws in
            let store = CountingStore(real)
            let end = start.advanced(bySeconds: 100)
            // Two of each moment, and one as an earlier version took it.
            for number in 0..<10 {
                let detail = String(repeating: "x", count: number == 9 ? 100_000 : 1000)
                let entry = TimelineEntry(
                    id: "e\(number)", kind: .note, time: start.advanced(bySeconds: Double(number / 2)), description: "d", detail: detail)
                try await store.post(entry, participant: "12", received: start)
            }
            func page(_ limit: Int, _ bytes: Int, _ after: EntryCursor? = nil) async throws -> EntriesPage {
                try await store.entries(participant: "12", from: start, to: end, kinds: [], limit: limit, bytes: bytes, after: after)
            }
            _ = store.counts()
            let first = try await page(3, 1_000_000)
            #expect(first.entries.map(\.id) == ["e0", "e1", "e2"] && store.counts().bytes < 4000)
            // What was told already goes: nothing else is passed over.
            for id in ["e0", "e2"] { #expect(try await store.removeEntry(id, participant: "12")) }
            let second = try await page(100, 4100, first.next)
            #expect(second.entries.map(\.id) == ["e3", "e4", "e5", "e6"] && second.next != nil && store.counts().bytes < 5000)
            let third = try await page(100, 4100, second.next)
            #expect(third.entries.map(\.id) == ["e7", "e8"] && store.counts().bytes < 5000)
            let last = try await page(100, 4100, third.next)
            #expect(last.entries.map(\.id) == ["e9"] && last.next == nil)
            #expect(try await store.entries(participant: "12", from: start, to: end).count == 8)
            #expect(try await page(1, 1, last.entries.last.map(EntryCursor.init)) == EntriesPage())
        }
    }

    @Test("a complete export has every entry that stays, though another is removed meanwhile", arguments: StoreKind.allCases)
    func records(_ kind: StoreKind) async throws {
        try await kind.withStores(2) { stores async throws in
            for number in 0..<1002 {
                let entry = TimelineEntry(id: "e\(number)", kind: .note, time: start.advanced(bySeconds: Double(number)), description: "d")
                try await stores[0].post(entry, participant: "12", received: start)
            }
            let far = start.advanced(bySeconds: 5000)
            let first = try await stores[0].entries(
                participant: "12", from: start, to: far, kinds: [], limit: 1000, bytes: 1 << 20, after: nil)
            #expect(try await stores[1].removeEntry("e5", participant: "12"))
            let rest = try await stores[0].entries(
                participant: "12", from: start, to: far, kinds: [], limit: 1000, bytes: 1 << 20, after: first.next)
            #expect(rest.entries.map(\.id) == ["e1000", "e1001"])
            var told = 0
            try await stores[0].forEachRecord(of: "12") { _ in told += 1 }
            #expect(told == 1001)
        }
    }

    @Test("gives sessions some at a time", arguments: StoreKind.allCases)
    func sessions(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append((0..<5).map { batch([heartRate(60, at: Double($0))], session: "s\($0)") })
            let some = try await store.sessions(participant: "12", limit: 2, offset: 1)
            #expect(some.map(\.name) == ["s1", "s2"])
            #expect(try await store.sessions(participant: "12").count == 5)
        }
    }

    @Test("gives a profile back as it was set, and the newer of two", arguments: StoreKind.allCases)
    func profiles(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let full = ParticipantProfile(
                first: "Ada", last: "L.", pseudonym: "a", birthDate: "1815-12-10", sex: .female, timeZone: "Europe/London",
                height: 165, isPregnant: false, group: "ward 3", order: 2, modules: ["weight"])
            #expect(try await store.profile(participant: "12") == nil)
            try await store.setProfile(full, participant: "12")
            #expect(try await store.profile(participant: "12") == full)
            try await store.setProfile(ParticipantProfile(pseudonym: "b"), participant: "12")
            #expect(try await store.profile(participant: "12") == ParticipantProfile(pseudonym: "b"))
            _ = try await store.append([batch([heartRate(60)], participant: "09")])
            let people = [("09", ParticipantProfile()), ("12", ParticipantProfile(pseudonym: "b"))]
            #expect(try await store.people() == people.map(KnownPerson.init))
        }
    }
}
