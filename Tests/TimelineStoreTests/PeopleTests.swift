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
            // What lasts reaches into a range that starts later; what has no end does not.
            #expect(try await store.entries(participant: "12", from: start.advanced(bySeconds: 5), to: end) == [plain])
            #expect(try await store.removeEntry("a2", participant: "12"))
            #expect(try await store.removeEntry("a2", participant: "12") == false)
            #expect(try await store.erase(participant: "12").rows["entry"] == 1)
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
