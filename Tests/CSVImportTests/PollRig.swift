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

/// One source, a store, and the stand-in that is asked.
struct PollRig: Sendable {
    let folder: TemporaryFolder
    let standIn: PollStandIn
    let target: StoreUnderTest
    let store: any TimelineStore
    let ledger: SQLiteLedger
    let keeping: LocalJobs

    init() async throws {
        folder = try TemporaryFolder("vigil-poll")
        standIn = try await PollStandIn()
        target = try StoreUnderTest.make(.sqlite, in: folder, server: try PostgresServer())
        store = try #require(StoreAddress(target.setting())).store(password: nil)
        ledger = try SQLiteLedger(path: folder.path("ledger.sqlite"))
        keeping = try LocalJobs(path: folder.path("jobs.sqlite"), folder: try UploadFolder(path: folder.path("uploads")))
        try write("one\n", to: "token")
    }

    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: URL(filePath: folder.path(name))) }

    /// The source of a file with one, written as its members.
    func source(_ members: String) throws -> PolledSource {
        try #require(
            try PolledSourceFile.read("{sources: [{name: \"s\", every: \"60s\", \(members)}]}", path: folder.path("sources.json5")).first)
    }

    /// One round of a service that starts with what is kept.
    func ask(_ source: PolledSource, largest: Int = 1 << 20) async throws -> PollRecord {
        let service = service(try await PollRecords([source], keeping, now: Timestamp.now.seconds), largest: largest)
        return try await service.ask(service.pull(source))
    }

    func service(_ records: PollRecords, largest: Int = 1 << 20) -> PollService {
        PollService(
            records: records, sink: StoreSink(store, patience: .zero), ledger: ledger, folder: folder.path("sources"), limit: largest,
            metrics: MetricsRegistry(), log: Logger(service: "test", level: .error, sink: { _ in }))
    }

    func count() async throws -> Int {
        // The store makes its file when it is first written.
        guard FileManager.default.fileExists(atPath: folder.path("timeline.sqlite")) else { return 0 }
        return Int(try await target.rows("SELECT count(*) FROM reading").first?.first ?? "") ?? -1
    }

    func content() async throws -> Set<String> { try await ImportTarget.readings(of: target) }

    var fhir: String { "fhir: \"\(standIn.base)/fhir\", participant: \"anna\", patient: \"p1\", credentialFile: \"token\", page: 10" }
    var nightscout: String { "nightscout: \"\(standIn.base)\", participant: \"anna\", page: 10" }
}

extension PollRig {
    /// A round that the server ends with a status 500 after so many pages.
    func interruptedRound(_ source: PolledSource, _ path: String, afterPages pages: Int?) async throws -> PollRecord {
        try standIn.set(["fault:\(path)": "500", "times:\(path)": "0", "after:\(path)": pages.map { "\($0)" } ?? "1000000"])
        return try await ask(source)
    }
}
