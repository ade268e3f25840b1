import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import VigilSchema

/// `vigil-import sources`: shows the sources that a running `vigil-import serve` asks, or has one asked now.
enum SourcesCommand {
    private static let now = Setting.optional("now", .name, help: "Ask this source now.")

    static let command = Command(
        name: "sources", summary: "shows the sources that vigil-import serve asks, or has one asked now",
        settings: [now] + ImportSettings.listing + CommonSettings.broker
    ) { invocation in
        let (wished, isJSON) = (try invocation[now], try invocation[ImportSettings.json])
        let list = try await BusSession(invocation.configuration).run { requester in
            if let wished { try check(try await ask(ImportRequest("ask", name: wished), requester)) }
            return try check(try await ask(ImportRequest("sources"), requester))
        }
        if isJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(list.sources ?? []), as: UTF8.self))
        } else {
            print(table(list.sources ?? []))
        }
    }

    private static func ask(_ request: ImportRequest, _ requester: Requester) async throws -> PollList {
        let message = try ServiceRequest(request, to: "import")
        let answer = try await requester.request(timeout: .seconds(10)) { message.message(answeredOn: $0) }
        return try JSONDecoder().decode(PollList.self, from: Data(answer.payload))
    }

    @discardableResult
    private static func check(_ answer: PollList) throws -> PollList {
        guard answer.ok else { throw CommandError(.failure, (answer.error ?? "it was refused").printable) }
        return answer
    }

    /// One line a source.
    static func table(_ sources: [PollView]) -> String {
        guard !sources.isEmpty else { return "no sources: vigil-import serve --sources FILE names them" }
        let header = ["NAME", "KIND", "FOR", "EVERY", "STATE", "LAST SUCCESS", "NEXT TRY", "STORED"]
        let rows = sources.map { source in
            [
                source.name, source.kind, source.participant ?? "-", DurationText.text(microseconds: Int64(source.interval * 1e6)),
                source.state, time(source.succeeded), time(source.next), "\(source.stored)",
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        var lines: [String] = []
        for (index, row) in ([header] + rows).enumerated() {
            let cells = row.enumerated().map { $1.padding(toLength: widths[$0], withPad: " ", startingAt: 0) }
            lines.append(cells.joined(separator: "  ").trimmed)
            guard index > 0, let failure = sources[index - 1].failure else { continue }
            lines.append("  \(sources[index - 1].failures) failures in a row: \(failure.printable)")
        }
        return lines.joined(separator: "\n")
    }

    private static func time(_ seconds: Double?) -> String {
        seconds.map { Date(timeIntervalSince1970: $0.rounded()).formatted(.iso8601) } ?? "-"
    }
}
