import Access
import CSVImport
import Foundation
import SensorIngest
import Settings

/// Has this machine's files forget a participant that no running service keeps: the names of imported files, accounts at the broker of a private
/// suite, and lines of logs.
struct LocalErasure: Sendable {
    let stateFolder: String
    let participant: String
    /// The imports that brought something of the participant, whatever their files are called.
    let imports: Set<String>

    func run() async throws -> [ErasureRounds.Row] {
        [
            ErasureRounds.Row(service: "imports, here", removed: try await importedFiles()),
            ErasureRounds.Row(service: "accounts, here", removed: try accounts()),
            ErasureRounds.Row(service: "tokens, here", removed: try tokens()),
            ErasureRounds.Row(service: "logs, here", removed: try logs()),
        ].filter { !$0.removed.isEmpty }
    }

    private func importedFiles() async throws -> [String: Int] {
        let path = ImportCommand.ledgerPath(stateFolder: stateFolder)
        guard FileManager.default.fileExists(atPath: path) else { return [:] }
        return ["files": try await SQLiteLedger(path: path).forget(namesHolding: participant, imports: imports)].filter { $0.value > 0 }
    }

    private func accounts() throws -> [String: Int] {
        let folder = "\(stateFolder)/\(PrivateAccounts.folderName)"
        guard FileManager.default.fileExists(atPath: "\(folder)/acl") else { return [:] }
        return ["accounts": try AccountFiles(folder: folder).forget(participant)].filter { $0.value > 0 }
    }

    private func tokens() throws -> [String: Int] {
        let file = "\(stateFolder)/ingest-tokens"
        guard FileManager.default.fileExists(atPath: file) else { return [:] }
        return ["tokens": try TokensCommand.changing(file) { $0.remove(participant: participant, device: nil) }].filter { $0.value > 0 }
    }

    /// The name is overwritten by as many asterisks: services go on writing behind it.
    private func logs() throws -> [String: Int] {
        let folder = "\(stateFolder)/logs"
        let search = LeftoverSearch(words: [participant])
        var count = 0
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".log") {
            count += try search.overwrite("\(folder)/\(name)")
        }
        return count > 0 ? ["names": count] : [:]
    }
}
