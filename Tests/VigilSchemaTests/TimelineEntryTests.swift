import Foundation
import Testing
import VigilSchema

@Suite("Entries and profiles")
struct TimelineEntryTests {
    private let entry = TimelineEntry(
        id: "a", kind: .condition, time: Timestamp(microseconds: 1_700_000_000_250_000), description: "Asthma",
        codes: ["ICD-10-CM": ["J45"]])

    @Test("an entry comes back as it was encoded")
    func roundTrip() throws {
        let bytes = try JSONEncoder().encode(entry)
        #expect(try JSONDecoder().decode(TimelineEntry.self, from: bytes) == entry)
        try entry.validate()
    }

    @Test("an entry that contradicts itself is refused, naming the field")
    func refusals() {
        var ending = entry
        ending.ends = Timestamp(seconds: 1)
        #expect(throws: PayloadError(.conflicting, "it ends before it begins", path: "$.ends")) { try ending.validate() }
        var nameless = entry
        nameless.id = "a/b"
        #expect((#expect(throws: PayloadError.self) { try nameless.validate() })?.path == "$.id")
        var silent = entry
        silent.description = ""
        #expect((#expect(throws: PayloadError.self) { try silent.validate() })?.path == "$.description")
    }

    @Test(
        "a profile is checked field by field",
        arguments: [
            (ParticipantProfile(birthDate: "2001-02-29"), "$.birthDate"), (ParticipantProfile(birthDate: "1.2.2001"), "$.birthDate"),
            (ParticipantProfile(birthDate: "2999-01-01"), "$.birthDate"), (ParticipantProfile(timeZone: "Mars/Olympus"), "$.timeZone"),
            (ParticipantProfile(height: 1.8), "$.height"), (ParticipantProfile(first: String(repeating: "x", count: 101)), "$.first"),
            (ParticipantProfile(last: String(repeating: "x", count: 101)), "$.last"), (ParticipantProfile(pseudonym: "a\0"), "$.pseudonym"),
            (ParticipantProfile(group: String(repeating: "x", count: 101)), "$.group"), (ParticipantProfile(height: 260.5), "$.height"),
            (ParticipantProfile(birthDate: "2001-02-003"), "$.birthDate"), (ParticipantProfile(birthDate: "20010-2-03"), "$.birthDate"),
            (ParticipantProfile(birthDate: "2001-02--3"), "$.birthDate"), (ParticipantProfile(birthDate: "2001-02-3x"), "$.birthDate"),
            (ParticipantProfile(birthDate: "2001-13-01"), "$.birthDate"), (ParticipantProfile(birthDate: "20010-20-3"), "$.birthDate"),
        ])
    func profile(profile: ParticipantProfile, path: String) {
        #expect((#expect(throws: PayloadError.self) { try profile.validate() })?.path == path)
    }

    @Test("an age counts whole years by the calendar")
    func age() {
        let profile = ParticipantProfile(birthDate: "2000-02-29")
        #expect(profile.age(at: Timestamp(seconds: 1_456_617_600)) == 15)  // 2016-02-28
        #expect(profile.age(at: Timestamp(seconds: 1_456_704_000)) == 16)  // 2016-02-29
        #expect(ParticipantProfile().age(at: Timestamp(seconds: 0)) == nil)
    }

    @Test("a profile keeps all that it is made of, and may have all of it")
    func whole() throws {
        let name = String(repeating: "x", count: 100)
        let profile = ParticipantProfile(
            first: name, last: name, pseudonym: name, birthDate: "2000-02-29", sex: .other, timeZone: "Europe/Berlin", height: 260,
            isPregnant: true,
            group: name, order: 3, modules: ["weight"])
        try profile.validate()
        try ParticipantProfile(birthDate: "1900-01-01", height: 30).validate()
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(profile)) as? NSDictionary
        #expect(
            object == [
                "first": name, "last": name, "pseudonym": name, "birthDate": "2000-02-29", "sex": "other", "timeZone": "Europe/Berlin",
                "height": 260, "isPregnant": true, "group": name, "order": 3, "modules": ["weight"],
            ])
    }

    @Test("a birth date may be today's, anywhere on Earth, and no later one")
    func birth() throws {
        let day = 86_400.0
        for (days, isTaken) in [(0.0, true), (3.0, false)] {
            let date = Timestamp(seconds: Date.now.timeIntervalSince1970 + days * day).iso8601().prefix(10)
            #expect(((try? ParticipantProfile(birthDate: String(date)).validate()) != nil) == isTaken)
        }
    }
}
