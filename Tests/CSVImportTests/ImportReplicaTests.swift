import Foundation
import Glibc
import SuiteHarness
import TestSupport
import Testing

@testable import CSVImport

@Suite("vigil-import on several machines", .serialized, .timeLimit(.minutes(8)))
struct ImportReplicaTests {
    private let target: ImportTarget
    private let server: PostgresServer
    private let database: String

    init() async throws {
        server = try PostgresServer()
        target = try await ImportTarget(.sqlite, server: PostgresServer())
        database = try server.makeDatabase()
    }

    private var state: String { StoreUnderTest.postgres(server, connection: database).setting() }

    private func replica(_ name: String) throws -> SuiteService {
        try SuiteService(
            "vigil-import", settings: ["--state", state, "--instance", name], brokerPort: target.broker.port, folder: target.folder,
            stateFolder: target.folder.path("state-\(name)"))
    }

    private func uploads(_ name: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: target.folder.path("state-\(name)/vigil-import-\(name).uploads"))) ?? ["none"]
    }

    private func waitForOwner(_ wanted: String) async throws {
        try await eventually(within: .seconds(90), "\(wanted) at work") {
            // Each look starts a program.
            try await Task.sleep(for: .milliseconds(100))
            return try server.psql("SELECT owner FROM vigil_import.lease WHERE expires > now()", in: database) == wanted
        }
    }

    private func table(_ rows: Int, bad: Int = .max) -> Data {
        Data(
            ("timestamp,heart-rate\n" + (0..<rows).map { "\(1_469_477_616 + $0),\($0 % bad == bad - 1 ? 999 : 60 + $0 % 20)\n" }.joined())
                .utf8)
    }

    private func send(_ bytes: Data, from start: Int, to end: Int, job: String) async throws {
        try await asking(target.broker) { asker in
            for offset in stride(from: start, to: end, by: 200_000) {
                let piece = bytes[offset..<min(end, offset + 200_000)].base64EncodedString()
                try await eventually("piece \(offset)") {
                    let answer = try await asker.ask(["command": "append", "job": job, "offset": offset, "data": piece])
                    return answer["ok"] as? Bool == true
                }
            }
        }
    }

    private func begin(_ bytes: Data) async throws -> String {
        try await asking(target.broker) { asker in
            try await asker.waitForAnswer()
            return try #require(try await asker.ask(["command": "begin", "name": "a.csv", "size": bytes.count])["job"] as? String)
        }
    }

    @Test(
        "an upload and an import go on at another process when theirs is killed, frozen or stopped: each row stored once, each refused cell told once"
    )
    func takesOver() async throws {
        let (a, b, c) = (try replica("a"), try replica("b"), try replica("c"))
        try await a.start()
        try await waitForOwner("a")
        for one in [b, c] { try await one.start() }
        let bytes = table(60_000, bad: 100), half = bytes.count / 2
        let job = try await begin(bytes)
        try await send(bytes, from: 0, to: half, job: job)
        #expect(uploads("b") == [] && uploads("a") == [])
        try await a.kill()
        var killed = try server.psql("SELECT owner FROM vigil_import.lease", in: database)
        try await eventually(within: .seconds(90), "another at work") {
            try await Task.sleep(for: .milliseconds(100))
            killed = try server.psql("SELECT owner FROM vigil_import.lease WHERE expires > now()", in: database)
            return killed == "b" || killed == "c"
        }
        let (second, third, name) = killed == "b" ? (b, c, "c") : (c, b, "b")
        let received = try await asking(target.broker) { asker in
            try await asker.waitForAnswer()
            return try await asker.job(job)["received"] as? Int
        }
        #expect(received == half)
        try await send(bytes, from: half, to: bytes.count, job: job)
        try await asking(target.broker) { asker in
            _ = try await asker.ask(["command": "start", "job": job, "answers": ["participant": "anna"]])
        }
        try await eventually(within: .seconds(120), "some of it") { target.stored >= 5_000 }
        second.signal(SIGSTOP)
        try await waitForOwner(name)
        try await eventually(within: .seconds(120), "more of it") { target.stored >= 20_000 }
        second.signal(SIGCONT)
        let done = try await asking(target.broker) { asker in
            try await asker.waitForAnswer()
            let done = try await asker.job(job, in: ["done", "failed"])
            let rejects = try await asker.ask(["command": "rejects", "job": job])["text"] as? String ?? ""
            #expect(rejects.split(separator: "\r\n").count == 1 + 600)
            let total = (done["outcome"] as? [String: Any])?["total"] as? [String: Any]
            return ["rejected", "rows", "accepted"].map { total?[$0] as? Int }
        }
        #expect(done == [600, 60_000, 59_400])
        #expect(try await target.count() == 59_400)
        #expect(try server.psql("SELECT count(*) FROM vigil_import.piece WHERE kind = 'data'", in: database) == "0")
        try await eventually("the frozen one stands by, and keeps nothing") { uploads(name == "c" ? "b" : "c") == [] }
        // In good order it is a matter of a second.
        try await a.start()
        try await third.stop()
        #expect(uploads(name) == [])
        try await asking(target.broker) { asker in
            try await asker.waitForAnswer()
            #expect(try await asker.job(job)["state"] as? String == "done")
        }
        for one in [a, second] { try await one.stop() }
        try await target.stop()
    }

    @Test(
        "at the command line a file that was imported at one machine is known at another, is listed there, and is taken out there; a former ledger goes along"
    )
    func commandLine() async throws {
        let file = try target.folder.write("participant-id,timestamp,heart-rate\na,100,60\na,101,61\n", to: "first.csv")
        let former = try target.folder.write("participant-id,timestamp,heart-rate\na,102,60\n", to: "former.csv")
        #expect(try await target.importer([former], state: "one").waitForExit() == 0)
        let own = ["--state", state]
        #expect(try await target.importer([file] + own, state: "one").waitForExit() == 0)
        for path in [file, former] {
            let known = try target.importer([path] + own, state: "two")
            #expect(try await known.waitForExit() == 0)
            #expect(known.output.contains("imported before"), "\(known.output)")
        }
        let list = try target.importer(["list", "--json"] + own, state: "three", needsBroker: false)
        #expect(try await list.waitForExit() == 0)
        let entries = try JSONDecoder().decode([LedgerEntry].self, from: Data(list.output.utf8))
        #expect(entries.map(\.stored) == [1, 2] && entries.map(\.state) == [.done, .done])
        let undo = try target.importer(["undo", entries[1].id] + own, state: "three")
        #expect(try await undo.waitForExit() == 0, "\(undo.output)")
        #expect(try await target.count() == 1)
        let again = try target.importer([file] + own, state: "two")
        #expect(try await again.waitForExit() == 0)
        #expect(again.output.contains("2 stored"), "\(again.output)")
        try await target.stop()
    }

    @Test("a broker that was away for a moment costs an import nothing: it is gone on with, and has not failed")
    func brokerRestarts() async throws {
        let a = try replica("a")
        try await a.start()
        try await waitForOwner("a")
        let bytes = table(60_000, bad: 100)
        let job = try await begin(bytes)
        try await send(bytes, from: 0, to: bytes.count, job: job)
        try await asking(target.broker) { asker in
            _ = try await asker.ask(["command": "start", "job": job, "answers": ["participant": "anna"]])
        }
        try await eventually(within: .seconds(120), "some of it") { target.stored >= 2_000 }
        try await target.broker.stop()
        try await target.broker.start()
        let (state, lines) = try await asking(target.broker) { asker in
            try await asker.waitForAnswer()
            let state = try await asker.job(job, in: ["done", "failed"])["state"] as? String
            let rejects = try await asker.ask(["command": "rejects", "job": job])["text"] as? String ?? ""
            return (state, rejects.split(separator: "\r\n").count)
        }
        #expect(state == "done" && lines == 601)
        #expect(try await target.count() == 59_400)
        try await a.stop()
        try await target.stop()
    }

    @Test("while the database is away a piece is refused in words and can be sent again, and an import waits and is then done")
    func databaseAway() async throws {
        let a = try replica("a")
        try await a.start()
        try await waitForOwner("a")
        let bytes = table(60_000), half = 200_000
        let job = try await begin(bytes)
        try await send(bytes, from: 0, to: half, job: job)
        try server.stopImmediately()
        try await asking(target.broker) { asker in
            let piece = bytes[half..<half + 9].base64EncodedString()
            let answer = try await asker.ask(["command": "append", "job": job, "offset": half, "data": piece])
            #expect(answer["ok"] as? Bool == false && answer["code"] as? String == "failed", "\(answer)")
        }
        try server.start()
        try await send(bytes, from: half, to: bytes.count, job: job)
        try await asking(target.broker) { asker in
            _ = try await asker.ask(["command": "start", "job": job, "answers": ["participant": "anna"]])
        }
        try await eventually(within: .seconds(120), "some of it") { target.stored >= 1_000 }
        try server.stopImmediately()
        try server.start()
        let done = try await asking(target.broker) { asker in try await asker.job(job, in: ["done", "failed"])["state"] as? String }
        #expect(done == "done")
        #expect(try await target.count() == 60_000)
        try await a.stop()
        try await target.stop()
    }
}
