import Access
import CSVImport
import Foundation
import MessageBus
import SensorIngest
import ServiceKit
import Settings
import Timeline
import VigilSchema

/// Everything that is kept of a person outside the timeline's database: with the other services, each of which answers for its own part, at the
/// broker, and in files of this machine. The same that `vigil erase` removes, under the same names.
struct PersonalDataCollection: Sendable {
    private static let accountsFolder = Setting.optional(
        "accounts-folder", .path, help: "The folder of the broker's accounts, if it is on this machine: see `vigil accounts`.")

    static let command = PersonCommand(
        settings: BrokerSession.settings + [CommonSettings.stateFolder, accountsFolder]
    ) { invocation, participant, imports in
        let collection = PersonalDataCollection(
            session: try BrokerSession(invocation, command: "export-person"), participant: participant,
            local: LocalPersonalData(
                stateFolder: try invocation[CommonSettings.stateFolder], accountsFolder: try invocation[accountsFolder],
                participant: participant, imports: imports))
        return try await collection.files()
    }.command

    private static let patience = Duration.seconds(60)
    /// The number of times that a service's data is asked for anew, as it changed between two parts.
    private static let attempts = 5

    let session: BrokerSession
    let participant: String
    let local: LocalPersonalData

    /// The files with something in them.
    func files() async throws -> [PersonCommand.File] {
        let known = try await ServiceStates.read(session)
        var files: [PersonCommand.File] = []
        for service in ErasureRounds.services where service != "timeline" {
            let name = "vigil-\(service)"
            guard known.isKnown(name) else { continue }
            guard known.isOnline(name) else {
                throw CommandError(
                    .unavailable, "\(name) is not running, and what it keeps would be missing: start it, or give --timeline-only")
            }
            files.append(("\(name).json", try await text(of: service)))
        }
        files.append(("broker.json", try await retained().json))
        files.append(("this-machine.json", try await local.read().json))
        return files.filter { $0.content != PersonalData().json }
    }

    /// A service's data, part by part.
    private func text(of service: String) async throws -> [UInt8] {
        try await session.requesting(answersBelow: session.answerTopic) { requester in
            for _ in 0..<Self.attempts { if let text = try await parts(of: service, requester) { return text } }
            throw CommandError(.unavailable, "what vigil-\(service) keeps of \(participant) changes all the time: ask again")
        }
    }

    /// All parts together; nil where something changed between two.
    private func parts(of service: String, _ requester: Requester) async throws -> [UInt8]? {
        var (text, digest, number): ([UInt8], String?, Int) = ([], nil, 0)
        while true {
            let answer = try await part(number, of: service, requester)
            guard answer.ok, let data = answer.data, let parts = answer.parts else {
                // A text that became shorter has fewer parts.
                if number > 0 { return nil }
                throw CommandError(.failure, "vigil-\(service): \(answer.error ?? "its answer cannot be read")")
            }
            guard digest == nil || digest == answer.digest else { return nil }
            (text, digest, number) = (text + data, answer.digest, number + 1)
            if number == parts { return text }
        }
    }

    private func part(_ number: Int, of service: String, _ requester: Requester) async throws -> PersonalDataPart {
        struct Order: Encodable {
            let command = "export"
            let participant: String
            let part: Int
            /// To the importer: files may say nothing of whom they are about.
            let imports: [String]?
        }
        let own = service == "import" && !local.imports.isEmpty ? local.imports.sorted() : nil
        let request = try ServiceRequest(Order(participant: participant, part: number, imports: own), to: service)
        let answer = try await Self.answer(to: request, of: service, requester)
        struct Refusal: Decodable { let error: String? }
        if let part = try? JSONDecoder().decode(PersonalDataPart.self, from: Data(answer)) { return part }
        let reason = try? JSONDecoder().decode(Refusal.self, from: Data(answer)).error
        return PersonalDataPart(error: reason ?? "its answer cannot be read", service: "vigil-\(service)", instance: "")
    }

    private static func answer(
        to request: ServiceRequest<some Encodable & Sendable>, of service: String, _ requester: Requester
    ) async throws -> [UInt8] {
        do throws(BusError) {
            return try await requester.request(timeout: patience) { request.message(answeredOn: $0) }.payload
        } catch {
            guard error.code == .timedOut else { throw error }
            throw CommandError(.unavailable, "no answer of vigil-\(service) within \(patience): ask again")
        }
    }

    private func retained() async throws -> PersonalData {
        var data = PersonalData()
        let messages = try await RetainedSweep(session: session, participant: participant).messages()
        for (kind, own) in Dictionary(grouping: messages, by: \.kind) {
            try data.add(
                kind,
                own.map { message in
                    let content = try? JSONSerialization.jsonObject(with: Data(message.payload), options: .fragmentsAllowed)
                    return ["topic": message.topic, "message": content ?? String(decoding: message.payload, as: UTF8.self)]
                })
        }
        return data
    }
}

/// The traces of a person in files of this machine that no running service keeps.
struct LocalPersonalData: Sendable {
    let stateFolder: String
    /// Beside that of a private suite.
    let accountsFolder: String?
    let participant: String
    /// The imports that brought something of the participant, whatever their files are called.
    let imports: Set<String>

    func read() async throws -> PersonalData {
        var data = PersonalData()
        let ledger = ImportCommand.ledgerPath(stateFolder: stateFolder)
        if FileManager.default.fileExists(atPath: ledger) {
            let entries = try await SQLiteLedger(path: ledger).entries(namesHolding: participant, imports: imports)
            data.merge(try PersonalData("files", encoding: entries))
        }
        let folders = ["\(stateFolder)/\(PrivateAccounts.folderName)", accountsFolder].compactMap(\.self)
        for folder in folders where FileManager.default.fileExists(atPath: "\(folder)/acl") {
            try data.add("accounts", try AccountFiles(folder: folder).accounts(of: participant))
        }
        try data.add("tokens", try tokens())
        try data.add("names", try logLines())
        return data
    }

    /// The tokens themselves are not kept, only their digests, which are secret enough.
    private func tokens() throws -> [[String: Any]] {
        guard let text = try? String(contentsOfFile: "\(stateFolder)/ingest-tokens", encoding: .utf8) else { return [] }
        return try IngestTokens(text: text).entries.filter { $0.participant == participant }.map { ["device": $0.device] }
    }

    private func logLines() throws -> [[String: Any]] {
        let folder = "\(stateFolder)/logs", search = LeftoverSearch(words: [participant])
        var lines: [[String: Any]] = []
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? [] where name.hasSuffix(".log") {
            let text = String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(name)")), as: UTF8.self)
            for line in text.split(separator: "\n") where search.isNamed(in: line) { lines.append(["log": name, "line": String(line)]) }
        }
        return lines
    }
}
