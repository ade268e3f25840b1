import Foundation
import SuiteHarness
import TestSupport
import Testing
import VigilSchema

@testable import CSVImport

/// `vigil-import serve` as its askers see it: a real broker, a real timeline, the real process.
@Suite("files that are sent to the import service", .serialized, .timeLimit(.minutes(4)))
struct ImportServiceTests {
    private func table(_ rows: Int, from start: Int = 1_469_477_616, bad: Int = .max) -> String {
        "timestamp,heart-rate\n" + (0..<rows).map { "\(start + $0),\($0 % bad == bad - 1 ? 999 : 60 + $0 % 20)\n" }.joined()
    }

    private func service(_ target: ImportTarget, _ settings: [String] = []) throws -> SuiteService {
        try SuiteService("vigil-import", settings: settings, brokerPort: target.broker.port, folder: target.folder)
    }

    @Test("a file is taken in pieces, told what it is, asked whose it is, tried, imported with every cell accounted for, and undone")
    func wholeWay() async throws {
        let target = try await ImportTarget(.sqlite, server: try PostgresServer())
        let service = try service(target)
        try await service.start()
        let text = table(3_000, bad: 100)
        try await asking(target.broker) { asker in
            let job = try await asker.send(text, name: "../../etc/heart.csv")
            #expect(try await asker.job(job)["name"] as? String == "heart.csv")
            _ = try await asker.ask(["command": "survey", "job": job])
            let asks = try await asker.job(job, in: ["asks", "failed"])
            let finding = try #require((asks["findings"] as? [[String: Any]])?.first, "\(asks)")
            #expect(finding["rows"] as? Int == 3_000)
            #expect(finding["from"] as? Double == 1_469_477_616 && finding["to"] as? Double == 1_469_480_614)
            let questions = try #require(finding["questions"] as? [[String: Any]])
            #expect(questions.compactMap { $0["kind"] as? String } == ["participant"])
            let answers = ["participant": "anna"]
            _ = try await asker.ask(["command": "try", "job": job, "answers": answers])
            let tried = try await asker.job(job, in: ["asks", "ready", "failed"])
            let trial = try #require((tried["trial"] as? [String: Any])?["total"] as? [String: Any], "\(tried)")
            #expect(trial["accepted"] as? Int == 2_970 && trial["rejected"] as? Int == 30)
            let refused = try await asker.ask(["command": "rejects", "job": job])
            #expect((refused["text"] as? String ?? "").split(separator: "\r\n").count == 31)
            #expect(try await target.count() == 0)
            _ = try await asker.ask(["command": "start", "job": job, "answers": answers])
            let done = try await asker.job(job, in: ["done", "failed"])
            let total = try #require((done["outcome"] as? [String: Any])?["total"] as? [String: Any], "\(done)")
            #expect(total["stored"] as? Int == 2_970 && total["rejected"] as? Int == 30 && total["rows"] as? Int == 3_000)
            #expect(try await target.count() == 2_970)
            let listed = try await asker.ask(["command": "jobs"])
            let entry = try #require((listed["imports"] as? [[String: Any]])?.first)
            let id = try #require(entry["id"] as? String)
            #expect(try await asker.ask(["command": "undo", "id": id])["ok"] as? Bool == true)
            try await eventually(within: .seconds(60), "the undoing") { try await target.count() == 0 }
            _ = try await asker.ask(["command": "discard", "job": job])
            #expect(try await asker.ask(["command": "jobs", "job": job])["code"] as? String == "unknown-job")
        }
        try await service.stop()
        let left = try FileManager.default.contentsOfDirectory(atPath: target.folder.path("state/vigil-import-main.uploads"))
        #expect(left == [])
        try await target.stop()
    }

    @Test("an upload and an import go on where they were after a kill, and each row is stored once")
    func kills() async throws {
        let target = try await ImportTarget(.sqlite, server: try PostgresServer())
        let service = try service(target)
        try await service.start()
        let text = table(60_000), bytes = Data(text.utf8)
        let half = bytes.count / 2
        let job = try await asking(target.broker) { asker in
            let job = try #require(try await asker.ask(["command": "begin", "name": "a.csv", "size": bytes.count])["job"] as? String)
            for offset in stride(from: 0, to: half, by: 200_000) {
                _ = try await asker.ask([
                    "command": "append", "job": job, "offset": offset,
                    "data": bytes[offset..<min(half, offset + 200_000)].base64EncodedString(),
                ])
            }
            return job
        }
        try await service.kill()
        try await service.start()
        try await asking(target.broker) { asker in
            let there = try #require(try await asker.job(job)["received"] as? Int)
            #expect(there == half)
            let far = try await asker.ask(["command": "append", "job": job, "offset": there + 1, "data": "AAAA"])
            #expect(far["code"] as? String == "wrong-offset" && far["received"] as? Int == there)
            for offset in stride(from: there, to: bytes.count, by: 200_000) {
                _ = try await asker.ask([
                    "command": "append", "job": job, "offset": offset,
                    "data": bytes[offset..<min(bytes.count, offset + 200_000)].base64EncodedString(),
                ])
            }
            // The answer of a piece may be lost; sent again it changes nothing.
            let again = try await asker.ask(["command": "append", "job": job, "offset": 0, "data": bytes[..<9].base64EncodedString()])
            #expect(again["received"] as? Int == bytes.count)
            _ = try await asker.ask(["command": "start", "job": job, "answers": ["participant": "anna"]])
        }
        for goal in [1, 20_000] {
            try await eventually(within: .seconds(60), "\(goal) readings") { target.stored >= goal }
            try await service.kill()
            try await service.start()
        }
        try await asking(target.broker) { asker in _ = try await asker.job(job, in: ["done", "failed"]) }
        #expect(try await target.count() == 60_000)
        let mode = try FileManager.default.attributesOfItem(atPath: target.folder.path("state/vigil-import-main.jobs.sqlite"))
        #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        try await service.stop()
        try await target.stop()
    }

    @Test("while the timeline is away an import says waiting, another file can be looked at, and all is stored once it is back")
    func waiting() async throws {
        let target = try await ImportTarget(.sqlite, server: try PostgresServer())
        let service = try service(target)
        try await service.start()
        try await target.stop()
        let (first, second) = (table(500), table(10, from: 1_500_000_000))
        let job = try await asking(target.broker) { asker in
            let job = try await asker.send(first, name: "a.csv")
            _ = try await asker.ask(["command": "start", "job": job, "answers": ["participant": "anna"]])
            _ = try await asker.job(job, in: ["waiting"])
            let other = try await asker.send(second, name: "b.csv")
            _ = try await asker.ask(["command": "survey", "job": other])
            _ = try await asker.job(other, in: ["asks"])
            _ = try await asker.ask(["command": "start", "job": other, "answers": ["participant": "ben"]])
            #expect(try await asker.job(other)["state"] as? String == "queued")
            _ = try await asker.ask(["command": "discard", "job": other])
            return job
        }
        try await target.timeline.start()
        _ = try await asking(target.broker) { asker in try await asker.job(job, in: ["done", "failed"]).count }
        #expect(try await target.count() == 500)
        try await service.stop()
        try await target.stop()
    }

    @Test("what is too much, foreign or malformed is refused in words, and ten thousand beginnings fill nothing")
    func hostile() async throws {
        let target = try await ImportTarget(.sqlite, server: try PostgresServer())
        let service = try service(target, ["--largest-upload", "1", "--uploads", "2"])
        try await service.start()
        let own = try await asking(target.broker) { asker in
            for (members, code) in [
                (["command": "begin", "name": "a.csv", "size": 2 << 20], "full"),
                (["command": "begin", "name": "..", "size": 5], "malformed"),
                (["command": "begin", "name": "a/", "size": 0], "malformed"), (["command": "begin", "size": 5], "malformed"),
                (["command": "begin", "name": "a", "size": -5], "malformed"), (["command": "sing"], "malformed"),
                (["command": "jobs", "job": "../../../etc/passwd"], "unknown-job"),
                (["command": "undo", "id": "' OR 1"], "unknown-import"),
                (["command": "discard", "job": "01J"], "unknown-job"),
            ] as [([String: Any], String)] {
                let answer = try await asker.ask(members)
                #expect(answer["ok"] as? Bool == false && answer["code"] as? String == code, "\(members) \(answer)")
                #expect((answer["error"] as? String ?? "").isEmpty == false)
            }
            let job = try await asker.send("a,b\n1,2\n", name: "<script>alert(1)</script>.csv\u{1B}[2J")
            for (members, code) in [
                (["command": "append", "job": job, "offset": 0, "data": "%%%"], "malformed"),
                (["command": "append", "job": job, "offset": 8, "data": "AAAA"], "malformed"),
                (["command": "append", "job": job, "offset": -4, "data": "AAAA"], "wrong-offset"),
                (["command": "start", "job": job, "answers": ["participant": "../x"]], "malformed"),
                (["command": "start", "job": job, "answers": ["zone": "Mars/Base"]], "malformed"),
                (["command": "survey", "job": job, "answers": ["profile": "/etc/passwd"]], "malformed"),
            ] as [([String: Any], String)] {
                let answer = try await asker.ask(members)
                #expect(answer["ok"] as? Bool == false && answer["code"] as? String == code, "\(members) \(answer)")
            }
            #expect((try await asker.job(job)["name"] as? String)?.contains("\u{1B}") == false)
            _ = try await asker.ask(["command": "survey", "job": job])
            let looked = try await asker.job(job, in: ["ready", "asks", "failed"])
            #expect(((looked["findings"] as? [[String: Any]])?.first?["problem"] as? String ?? "").isEmpty == false)
            _ = try await asker.ask(["command": "start", "job": job, "answers": ["participant": "anna"]])
            let failed = try await asker.job(job, in: ["failed", "done"])
            #expect(failed["state"] as? String == "failed" && (failed["error"] as? String ?? "").isEmpty == false)
            return job
        }
        try await asking(target.broker, as: "eve") { asker in
            for command in ["append", "survey", "try", "start", "jobs", "rejects", "discard"] {
                let answer = try await asker.ask(["command": command, "job": own, "offset": 0, "data": "AAAA"])
                #expect(answer["code"] as? String == "unknown-job", "\(command)")
            }
            #expect((try await asker.ask(["command": "jobs"])["jobs"] as? [Any])?.isEmpty == true)
        }
        let taken = try await asking(target.broker) { asker in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<10_000 {
                    group.addTask { try await asker.ask(["command": "begin", "name": "\(number)", "size": 10])["ok"] as? Bool == true }
                    if number >= 100 { _ = try await group.next() }
                }
                return try await asker.ask(["command": "jobs"])["jobs"].map { ($0 as? [Any])?.count ?? 0 } ?? 0
            }
        }
        // One asker has a share of the open jobs, so that others find room.
        #expect(taken == 12)
        #expect((LocalHTTP.get("/readyz", port: service.httpPort)) != nil)
        try await service.stop()
        try await target.stop()
    }

    @Test("an erased participant's files go, whatever tells of whom they are, and others' stay")
    func erasure() async throws {
        let target = try await ImportTarget(.sqlite, server: try PostgresServer())
        let service = try service(target)
        try await service.start()
        try await asking(target.broker) { asker in
            let content = try await asker.send("participant-id,timestamp,heart-rate\nanna,1469477616,60\n", name: "a.csv")
            let name = try await asker.send("timestamp,heart-rate\n1469477616,60\n", name: "anna.csv")
            let other = try await asker.send("participant-id,timestamp,heart-rate\nben,1469477616,60\n", name: "b.csv")
            let answered = try await asker.send("timestamp,heart-rate\n1469477616,61\n", name: "c.csv")
            _ = try await asker.ask(["command": "try", "job": answered, "answers": ["participant": "anna"]])
            let confirmation = try await asker.ask(["command": "erase", "participant": "anna"])
            #expect(confirmation["ok"] as? Bool == true && (confirmation["removed"] as? [String: Int])?["uploads"] == 3, "\(confirmation)")
            for job in [content, name, answered] {
                #expect(try await asker.ask(["command": "jobs", "job": job])["code"] as? String == "unknown-job")
            }
            #expect(try await asker.job(other)["received"] as? Int == 54)
        }
        try await service.stop()
        let state = target.folder.path("state")
        for file in FileManager.default.enumerator(atPath: state)?.compactMap({ $0 as? String }) ?? [] where file.contains("vigil-import") {
            let content = FileManager.default.contents(atPath: "\(state)/\(file)") ?? Data()
            #expect(content.range(of: Data("anna".utf8)) == nil, "\(file)")
        }
        try await target.stop()
    }
}
