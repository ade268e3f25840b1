import Foundation
import MessageBus
import ServiceKit
import VigilSchema

/// `vigil-import undo ID`: takes out again what one import has added.
enum UndoCommand {
    static let command = Command(
        name: "undo", summary: "Removes from the timeline exactly what an import has added.",
        settings: ImportSettings.undoing + CommonSettings.state + CommonSettings.broker,
        operands: Operands("ID", help: "the import's id, as `vigil-import list` shows it")
    ) { invocation in
        let ledger = try ImportCommand.ledger(invocation.configuration)
        guard var entry = try await ledger.entry(id: invocation.operands[0]) else {
            throw CommandError(.usage, "the ledger has no import \(invocation.operands[0]); `vigil-import list` shows all")
        }
        let id = entry.id
        let patience = try invocation[ImportSettings.patience]
        let removed = try await BusSession(invocation.configuration).run { requester in
            try await remove(id, requester, patience)
        }
        entry.state = .undone
        entry.batches = 0
        try await ledger.save(entry)
        print("removed \(removed) observations of \(entry.name)")
    }

    private struct Request: Encodable {
        let kind = "undo-import"
        let origin: String
    }

    private struct Answer: Decodable {
        let removed: Int?
        let error: String?
    }

    private static func remove(_ origin: String, _ requester: Requester, _ patience: Duration) async throws -> Int {
        let payload = Array(try JSONEncoder().encode(Request(origin: origin)))
        let answer = try await requester.request(timeout: patience) { _ in
            OutgoingMessage(
                topic: Topic.timelineQueries.path, payload: payload, properties: MessageProperties(contentType: MediaType.json))
        }
        let read = try JSONDecoder().decode(Answer.self, from: Data(answer.payload))
        guard let removed = read.removed else { throw CommandError(.failure, read.error ?? "the timeline did not say what it removed") }
        return removed
    }
}
