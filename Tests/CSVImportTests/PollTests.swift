import Foundation
import MessageBus
import Observability
import ServiceKit
import SuiteHarness
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import CSVImport

@Suite("sources that are asked", .timeLimit(.minutes(4)))
struct PollTests {
    // MARK: Files at addresses

    @Test("a table is fetched again only when it has changed, and imported once however the server lies about it")
    func tables() async throws {
        let rig = try await PollRig()
        let source = try rig.source("url: \"\(rig.standIn.base)/table.csv\", participant: \"anna\"")
        #expect(try await rig.ask(source).failure == nil)
        #expect(try await rig.count() == 10)
        // Honest: nothing is sent.
        _ = try await rig.ask(source)
        #expect(try rig.standIn.counts()["304"] == 1)
        // A new name for the same content.
        try rig.standIn.set(["etag": "fresh"])
        let same = try await rig.ask(source)
        #expect(same.failure == nil && same.stored == 10)
        #expect(try await rig.ledger.all().count == 1)
        // The table has grown.
        try rig.standIn.set(["rows": "25"])
        #expect(try await rig.ask(source).stored == 25)
        #expect(try await rig.count() == 25)
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder.path("sources")) == [])
    }

    @Test("one name for ever is believed for a day")
    func frozen() async throws {
        let rig = try await PollRig()
        let source = try rig.source("url: \"\(rig.standIn.base)/table.csv\", participant: \"anna\"")
        try rig.standIn.set(["etag": "frozen"])
        var record = try await rig.ask(source)
        try rig.standIn.set(["rows": "12"])
        #expect(try await rig.ask(source).stored == 10)
        let key = try #require(record.cursors.keys.first)
        record.cursors[key]?.fetched = Timestamp.now.seconds - 90_000
        try await rig.keeping.save(poll: "s", KeptJobs.text(record))
        #expect(try await rig.ask(source).stored == 12)
    }

    @Test(
        "a fault is told, delays nothing that came before, and ends by itself",
        arguments: [("429", "pause"), ("500", "status 500"), ("503", "status 503"), ("drop", ""), ("hang", "")])
    func faults(_ fault: String, _ words: String) async throws {
        let rig = try await PollRig()
        let base = rig.standIn.base
        let source = try rig.source("urls: [\"\(base)/a.csv\", \"\(base)/b.csv\"], participant: \"anna\", timeout: \"1s\"")
        try rig.standIn.set(["fault:/a.csv": fault, "times:/a.csv": "1"])
        let failed = try await rig.ask(source)
        #expect(failed.failures == 1 && (words.isEmpty || failed.failure?.contains(words) == true), "\(failed)")
        let asksForPause = fault == "429" || fault == "503"
        #expect((failed.notBefore != nil) == asksForPause)
        // Its other table came, unless the server wanted no more requests.
        #expect(try await rig.count() == (asksForPause ? 0 : 10))
        let done = try await rig.ask(source)
        #expect(done.failure == nil && done.failures == 0 && done.notBefore == nil)
        #expect(try await rig.count() == 10)
    }

    @Test("broken TLS, plain connections, circles and answers without end are refused in words")
    func refusals() async throws {
        let rig = try await PollRig()
        let (base, port) = (rig.standIn.base, rig.standIn.server.port)
        for (address, largest) in [
            ("https://127.0.0.1:\(port)/table.csv", 1 << 20), ("\(base)/plain.csv", 1 << 20), ("\(base)/circle.csv", 1 << 20),
            ("\(base)/table.csv", 50),
        ] {
            let record = try await rig.ask(try rig.source("url: \"\(address)\", participant: \"anna\""), largest: largest)
            #expect(record.failures == 1, "\(address)")
        }
        #expect(try await rig.count() == 0)
        #expect(throws: (any Error).self) { try rig.source("url: \"http://example.org/a.csv\"") }
        #expect(throws: (any Error).self) { try rig.source("url: \"https://me:word@example.org/a.csv\"") }
        #expect(throws: (any Error).self) { try rig.source("fhir: \"\(base)/fhir\", participant: \"anna\"") }
    }

    @Test("an empty answer is a failure, and what was refused is shown until something else is")
    func shown() async throws {
        let rig = try await PollRig()
        let source = try rig.source("url: \"\(rig.standIn.base)/table.csv\", participant: \"anna\"")
        try rig.standIn.set(["empty": "yes"])
        #expect(try await rig.ask(source).failure?.contains("empty") == true)
        try rig.standIn.set(["empty": "no", "bad": "yes"])
        let first = try await rig.ask(source)
        #expect(first.failure == nil && first.refused == 1 && first.stored == 10)
        try rig.standIn.set(["bad": "no", "rows": "12"])
        let second = try await rig.ask(source)
        #expect(second.failure == nil && second.refused == 1 && second.stored == 12)
    }

    @Test(
        "a redirect leads to no address of this machine or its link, unless the source is there itself",
        arguments: [
            ("https://127.0.0.1/a", true), ("https://2130706433/a", true), ("https://localhost/a", true), ("https://[::1]/a", true),
            ("https://[::ffff:127.0.0.1]/a", true), ("https://169.254.169.254/latest", true), ("https://[fe80::1]/a", true),
            ("https://0.0.0.0/a", true), ("https://192.0.2.1/a", false), ("https://[2001:db8::1]/a", false),
        ])
    func redirectTargets(_ target: String, _ isLocal: Bool) throws {
        #expect(try #require(PollAddress(target)).isLocal == isLocal)
        let (far, near) = (try #require(PollAddress("https://192.0.2.7/")), try #require(PollAddress("http://127.0.0.1:8080/")))
        let taken = try? PollClient.target(of: target, status: 302, from: "https://192.0.2.7/", source: far)
        #expect(taken == (isLocal ? nil : target))
        #expect(try PollClient.target(of: target, status: 302, from: "http://127.0.0.1:8080/", source: near) == target)
    }

    @Test("a redirect takes the token to no other host")
    func redirects() async throws {
        let rig = try await PollRig()
        let source = try rig.source("url: \"\(rig.standIn.base)/redirect.csv\", participant: \"anna\", credentialFile: \"token\"")
        #expect(try await rig.ask(source).failure == nil)
        let counts = try rig.standIn.counts()
        #expect(counts["token at 127.0.0.1"] == 1 && counts["token at localhost"] == nil, "\(counts)")
        #expect(try await rig.count() == 10)
    }

    // MARK: Folders

    @Test("a folder's files are imported when they appear and when they change; one that cannot be read keeps no other")
    func folders() async throws {
        let rig = try await PollRig()
        try FileManager.default.createDirectory(atPath: rig.folder.path("in"), withIntermediateDirectories: true)
        func put(_ name: String, _ text: String, age: Double = 60) throws {
            try rig.write(text, to: "in/\(name)")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: rig.folder.path("in/\(name)"))
        }
        let source = try rig.source("folder: \"in\", participant: \"anna\"")
        try put("a.csv", "timestamp,heart-rate\n1700000000,60\n")
        try put("bad.csv", "who knows\nwhat this is\n")
        try put("new.csv", "timestamp,heart-rate\n1700000060,61\n1700000061,6", age: 0)
        let first = try await rig.ask(source)
        #expect(first.failure != nil)
        #expect(try await rig.count() == 1)
        try FileManager.default.removeItem(atPath: rig.folder.path("in/bad.csv"))
        try put("new.csv", "timestamp,heart-rate\n1700000060,61\n1700000061,62\n")
        #expect(try await rig.ask(source).failure == nil)
        #expect(try await rig.count() == 3)
        // A link may lead to anything that the service can read.
        try rig.write("timestamp,heart-rate\n1700009000,90\n", to: "other.csv")
        try FileManager.default.createSymbolicLink(
            atPath: rig.folder.path("in/link.csv"), withDestinationPath: rig.folder.path("other.csv"))
        #expect(try await rig.ask(source).failure?.contains("link.csv is a symbolic link") == true)
        #expect(try await rig.count() == 3)
    }

    // MARK: FHIR

    @Test("a FHIR server is read page by page, then what changed since; a token may be replaced at any time")
    func fhir() async throws {
        let rig = try await PollRig()
        let source = try rig.source(rig.fhir)
        try rig.standIn.set(["fhir": "95"])
        #expect(try await rig.ask(source).failure == nil)
        #expect(try await rig.count() == 95)
        try rig.standIn.set(["token": "two", "fhir": "120"])
        #expect(try await rig.ask(source).failure?.contains("401") == true)
        try rig.write("two\n", to: "token")
        let before = try rig.standIn.counts()["/fhir/Observation"] ?? 0
        #expect(try await rig.ask(source).failure == nil)
        #expect(try await rig.count() == 120)
        // From a minute before the newest on, not from the start.
        #expect(try (rig.standIn.counts()["/fhir/Observation"] ?? 0) - before <= 10)
        let entries = try await rig.ledger.all()
        #expect(entries.count == 1 && entries.first?.stored == 120, "\(entries)")
    }

    @Test("a record whose time lies ahead hides nothing that comes later", arguments: ["fhir", "nightscout"])
    func ahead(_ kind: String) async throws {
        let rig = try await PollRig()
        let source = try rig.source(kind == "fhir" ? rig.fhir : rig.nightscout)
        let list = kind == "fhir" ? "Observation" : "entries"
        try rig.standIn.set(["fhir": "5", "sgv": "5", "ahead": "yes"])
        let first = try await rig.ask(source)
        #expect(first.failure == nil && first.cursors[list]?.since ?? .infinity < 1.8e9, "\(first)")
        let before = try await rig.count()
        try rig.standIn.set(["fresh": "1"])
        var record = try await rig.ask(source)
        let fresh = try await rig.count()
        #expect(record.failure == nil && fresh > before)
        // As a former version kept it.
        record.cursors[list] = .init(since: 4e9)
        try await rig.keeping.save(poll: "s", KeptJobs.text(record))
        try rig.standIn.set(["fhir": "7", "sgv": "7"])
        let between = try await rig.count()
        #expect(try await rig.ask(source).failure == nil)
        #expect(try await rig.count() > between)
    }

    @Test("of a FHIR server's answer only what is the patient's is stored")
    func foreign() async throws {
        let rig = try await PollRig()
        try rig.standIn.set(["fhir": "5", "foreign": "yes"])
        let record = try await rig.ask(try rig.source(rig.fhir))
        #expect(record.failure == nil && record.stored == 5 && record.refused == 2, "\(record)")
        #expect(try await rig.count() == 5)
    }

    @Test("pages that come again, links to other hosts and links that have expired lose nothing")
    func strangePages() async throws {
        let rig = try await PollRig()
        let source = try rig.source(rig.fhir)
        try rig.standIn.set(["fhir": "40", "mode": "elsewhere"])
        #expect(try await rig.ask(source).failure?.contains("another server") == true)
        #expect(try rig.standIn.counts()["token at localhost"] == nil)
        try rig.standIn.set(["mode": "repeat"])
        #expect(try await rig.ask(source).failure?.contains("same page") == true)
        // A round that is interrupted, and whose links are forgotten meanwhile.
        try rig.standIn.set(["mode": "expired", "fault:/fhir/Observation": "500", "times:/fhir/Observation": "0"])
        let records = try await PollRecords([source], rig.keeping, now: 0)
        var record = await records[source]
        record.cursors["Observation"] = .init(next: "\(rig.standIn.base)/fhir/Observation?page=20&_count=10&round=0")
        try await records.save(record)
        #expect(try await rig.ask(source).failure == nil)
        #expect(try await rig.count() == 40)
    }

    // MARK: Nightscout

    @Test("a Nightscout site is read to its oldest record, then its newest, and what came late; fewer records than asked for are no end")
    func nightscout() async throws {
        let rig = try await PollRig()
        let source = try rig.source(rig.nightscout)
        try rig.standIn.set(["sgv": "45", "cap": "7", "late": "no"])
        #expect(try await rig.ask(source).failure == nil)
        // Glucose and its trend; of the treatment its kind, insulin and carbohydrates.
        #expect(try await rig.count() == 2 * 35 + 3)
        try rig.standIn.set(["sgv": "50", "late": "yes"])
        #expect(try await rig.ask(source).failure == nil)
        #expect(try await rig.count() == 2 * 50 + 3)
        try rig.standIn.set(["mode": "repeat", "sgv": "60"])
        #expect(try await rig.ask(source).failure?.contains("does not keep") == true)
        try rig.standIn.set(["mode": "none"])
        #expect(try await rig.ask(source).failure == nil)
        #expect(try await rig.count() == 2 * 60 + 3)
    }

    @Test("rounds that fail ten times bring what one that does not fail brings", arguments: ["fhir", "nightscout"])
    func interrupted(_ kind: String) async throws {
        let (rig, quiet) = (try await PollRig(), try await PollRig())
        let path = kind == "fhir" ? "/fhir/Observation" : "/api/v1/entries.json"
        let members = { (rig: PollRig) in kind == "fhir" ? rig.fhir : rig.nightscout }
        for rig in [rig, quiet] { try rig.standIn.set(["fhir": "1500", "sgv": "1500"]) }
        _ = try await quiet.ask(try quiet.source(members(quiet)))
        var failures = 0
        for round in 0...10 {
            // The next round gets some pages further.
            let record = try await rig.interruptedRound(try rig.source(members(rig)), path, afterPages: round == 10 ? nil : 12)
            if record.failure != nil { failures += 1 }
        }
        #expect(failures == 10)
        #expect(try await rig.content() == quiet.content())
        // Each page once: an interrupted round goes on where it was.
        #expect(try (rig.standIn.counts()[path] ?? 0) <= 180)
    }
}
