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

    @Test("an entry's texts and codes have 16 KiB together at the most, however few characters those are")
    func size() throws {
        func marked(_ bytes: Int) -> String { "e" + String(repeating: "\u{301}", count: bytes / 2) }
        func with(_ change: (inout TimelineEntry) -> Void) -> TimelineEntry {
            var entry = entry
            change(&entry)
            return entry
        }
        let refused = [
            with { $0.detail = marked(20_000) }, with { $0.text = marked(20_000) }, with { $0.unit = marked(20_000) },
            with { $0.codes = ["x": [marked(20_000)]] }, with { $0.codes = [marked(20_000): []] },
            with { $0.codes = Dictionary(uniqueKeysWithValues: (0..<2000).map { ("system-\($0)", ["c"]) }) },
            with { $0.detail = String(repeating: "\u{1}", count: 3000) },
        ]
        for entry in refused {
            #expect((#expect(throws: PayloadError.self) { try entry.validate() })?.code == .tooLarge)
        }
        let described = #expect(throws: PayloadError.self) { try with { $0.description = marked(20_000) }.validate() }
        #expect(described?.path == "$.description")
        try with { $0.detail = String(repeating: "\u{4e00}", count: 4000) }.validate()
        #expect((#expect(throws: PayloadError.self) { try with { $0.detail = "a\0" }.validate() })?.code == .malformed)
        #expect((#expect(throws: PayloadError.self) { try with { $0.value = 1e141 }.validate() })?.path == "$.value")
    }

    @Test(
        "an entry's texts and codes are counted as JSON writes them, up to the last byte",
        arguments: [("", 16_373), ("\"", 16_371), ("\\", 16_371), ("\n", 16_367), ("\u{1F}", 16_367), (" ", 16_372), ("/", 16_372)])
    func writtenSize(special: String, letters: Int) {
        // Beside the value three bytes each for the description d, the code x and the value itself, and their two letters.
        for (count, isTaken) in [(letters, true), (letters + 1, false)] {
            var entry = TimelineEntry(id: "a", kind: .note, time: Timestamp(seconds: 1), description: "d")
            entry.codes = ["x": [special + String(repeating: "x", count: count)]]
            #expect(((try? entry.validate()) != nil) == isTaken && entry.size == (isTaken ? 16_384 : 16_385))
        }
    }

    @Test("a place behind an entry is told and read, and nothing else is such a place")
    func cursor() throws {
        let cursor = EntryCursor(entry)
        #expect(cursor.after == "1700000000250000/a" && EntryCursor(after: cursor.after) == cursor)
        for text in [
            "1000", "", "/a", "1/", "1/a/b", "x/a", "9999999999999999999/a", "253402300800000001/a", "1/a b", "-253402300800000001/a",
        ] {
            #expect(EntryCursor(after: text) == nil)
        }
        for text in ["253402300800000000/a", "-253402300800000000/a"] { #expect(EntryCursor(after: text)?.after == text) }
    }

    @Test("one character of a megabyte is no short text: bytes are bounded too")
    func longCharacters() throws {
        let long = "e" + String(repeating: "\u{301}", count: 500_000), most = String(repeating: "👍", count: 500)
        #expect(long.count == 1)
        for (change, path) in [
            ({ $0.description = long }, "$.description"), ({ $0.detail = long }, "$"), ({ $0.text = long }, "$"), ({ $0.unit = long }, "$"),
        ] as [((inout TimelineEntry) -> Void, String)] {
            var changed = entry
            change(&changed)
            #expect((#expect(throws: PayloadError.self) { try changed.validate() })?.path == path)
        }
        var plain = entry
        (plain.description, plain.detail) = (most, String(repeating: "ä", count: 4000))
        try plain.validate()
        for profile in [ParticipantProfile(first: long), ParticipantProfile(last: long), ParticipantProfile(group: long)] {
            #expect(throws: PayloadError.self) { try profile.validate() }
        }
        try ParticipantProfile(first: String(repeating: "é", count: 100)).validate()
        #expect(long.kept(characters: 60).utf8.count <= 240 && "a\0b".kept(characters: 60) == "a\u{FFFD}b")
        #expect("abé".kept(4) == "abé" && "abé".kept(3) == "ab" && "é".kept(1) == "")
        #expect(long.cut(characters: 60).utf8.count <= 240 && "a\0b".cut(characters: 2) == "a\0" && most.cut(characters: 60).count == 60)
    }

    @Test(
        "a profile is checked field by field",
        arguments: [
            (ParticipantProfile(birthDate: "2001-02-29"), "$.birthDate"), (ParticipantProfile(birthDate: "1.2.2001"), "$.birthDate"),
            (ParticipantProfile(birthDate: "2999-01-01"), "$.birthDate"), (ParticipantProfile(timeZone: "Mars/Olympus"), "$.timeZone"),
            (ParticipantProfile(first: "e" + String(repeating: "\u{301}", count: 500)), "$.first"),
            (ParticipantProfile(modules: Array(repeating: "m", count: 101)), "$.modules"),
            (ParticipantProfile(modules: [String(repeating: "m", count: 65)]), "$.modules"),
            (ParticipantProfile(modules: ["\0"]), "$.modules"),
            (ParticipantProfile(height: 1.8), "$.height"), (ParticipantProfile(first: String(repeating: "x", count: 101)), "$.first"),
            (ParticipantProfile(last: String(repeating: "x", count: 101)), "$.last"), (ParticipantProfile(pseudonym: "a\0"), "$.pseudonym"),
            (ParticipantProfile(group: String(repeating: "x", count: 101)), "$.group"), (ParticipantProfile(height: 260.5), "$.height"),
            (ParticipantProfile(birthDate: "2001-02-003"), "$.birthDate"), (ParticipantProfile(birthDate: "20010-2-03"), "$.birthDate"),
            (ParticipantProfile(birthDate: "2001-02--3"), "$.birthDate"), (ParticipantProfile(birthDate: "2001-02-3-"), "$.birthDate"),
            (ParticipantProfile(birthDate: "2001-02-3x"), "$.birthDate"),
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
        try ParticipantProfile(modules: Array(repeating: String(repeating: "m", count: 64), count: 100)).validate()
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
        for (days, isTaken) in [(0.0, true), (1.0, true), (2.0, false)] {
            let date = Timestamp(seconds: Date.now.timeIntervalSince1970 + days * day).iso8601().prefix(10)
            #expect(((try? ParticipantProfile(birthDate: String(date)).validate()) != nil) == isTaken)
        }
    }
}
