import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// A subcommand of `vigil timeline` that asks one question and prints all of the answer, however many answers it takes.
struct QueryCommand {
    private typealias S = TimelineSettings

    let query: TimelineRequest.Query
    let settings: [any AnySetting]
    /// What is shown, in this order; everything where it is nil.
    var columns: [String]?

    /// The subcommand.
    func command(_ name: String, _ summary: String, participant: Bool = true) -> Command {
        Command(
            name: name, summary: summary, settings: settings + [S.output, S.raw] + CommonSettings.database,
            operands: participant ? Operands("PARTICIPANT", help: "whose") : .none
        ) { invocation in
            let store = try TimelineCommands.openStore(invocation)
            do {
                let handler = QueryHandler(store: store, now: { .now })
                await AuditCommands.note(query.rawValue, participant: invocation.operands.first, in: store)
                if query == .readings { try await readings(handler, invocation) } else { try await run(handler, invocation) }
                await store.close()
            } catch {
                await store.close()
                throw error
            }
        }
    }

    private func run(_ handler: QueryHandler, _ invocation: Invocation) async throws {
        var request = try request(invocation)
        var (result, next) = try Self.parsed(await handler.answer(request))
        while let after = next, room(in: result, invocation) > 0 {
            request.after = after
            if has(S.limit) { request.limit = min(room(in: result, invocation), 1000) }
            let (more, last) = try Self.parsed(await handler.answer(request))
            result = Self.merged(result, more, isNewestFirst: query == .alerts)
            next = last
        }
        try print(shown(result, invocation))
    }

    /// Readings go out as they come, so that all of them can, in little memory. As a table, whose columns are as wide as what is in them, at
    /// most a thousand unless more are asked for.
    private func readings(_ handler: QueryHandler, _ invocation: Invocation) async throws {
        var request = try request(invocation)
        let format = try invocation[S.output]
        var rest = try invocation[S.limit] ?? (format == .table ? 1000 : .max)
        var list: [Any] = []
        var isFirst = true
        var next: String?
        if format == .json { print("[") }
        repeat {
            request.limit = min(rest, 5000)
            let (result, _) = try Self.parsed(await handler.answer(request))
            let page = result as? [String: Any] ?? [:]
            let readings = page["readings"] as? [Any] ?? []
            rest -= readings.count
            switch format {
            case .table: list += readings
            case .csv: Self.write(ResultTable(readings, columns: Self.readingColumns).csv(raw: try invocation[S.raw], header: isFirst))
            case .json:
                Self.write(try readings.map { try Self.json($0, pretty: false) }.joined(separator: ",\n"), after: isFirst ? "" : ",\n")
            }
            if !readings.isEmpty { isFirst = false }
            next = try page["next"].map { try Self.json($0, pretty: false) }
            request.after = next
        } while next != nil && rest > 0
        switch format {
        case .table: print(ResultTable(list).table)
        case .csv: if isFirst { print(Self.readingColumns.joined(separator: ",")) }
        case .json: print(isFirst ? "]" : "\n]")
        }
        if let next { StandardError.line("there are more readings: go on with --after '\(next)', or raise --limit") }
    }

    private static let readingColumns = [
        "time", "metric", "value", "text", "unit", "source", "session", "sequence", "period", "zone", "received",
    ]

    /// Standard output without a line's end of its own.
    private static func write(_ text: String, after separator: String = "") {
        guard !text.isEmpty else { return }
        FileHandle.standardOutput.write(Data((separator + text).utf8))
    }

    private func has(_ setting: any AnySetting) -> Bool { settings.contains { $0.declaration.name == setting.declaration.name } }

    /// How many more may be shown.
    private func room(in result: Any, _ invocation: Invocation) -> Int {
        guard has(S.limit), let list = result as? [Any] else { return .max }
        return ((try? invocation[S.limit]) ?? 1000) - list.count
    }

    private func request(_ invocation: Invocation) throws -> TimelineRequest {
        var request = TimelineRequest(query, participant: invocation.operands.first)
        let now = Timestamp.now
        if has(S.metric) { request.metric = try invocation[S.metric] }
        // Readings can be of all metrics at once.
        if has(S.metric), request.metric == nil, request.query != .readings {
            throw CommandError(.usage, "--metric is missing; `vigil timeline metrics PARTICIPANT` lists what there is")
        }
        if has(S.source) { request.source = try invocation[S.source] }
        if has(S.from) { request.from = try invocation[S.from]?.moment(now: now) }
        if has(S.to) { request.to = try invocation[S.to]?.moment(now: now) }
        if has(S.span) { request.span = try invocation[S.span].rawValue }
        if has(S.by) { request.by = try invocation[S.by].rawValue }
        if has(S.zone) { request.zone = try invocation[S.zone] }
        if has(S.width) { request.width = try invocation[S.width] }
        if has(S.limit) { request.limit = try invocation[S.limit].map { min($0, 1000) } }
        if has(S.after) { request.after = try invocation[S.after] }
        if has(S.seconds) { request.seconds = try invocation[S.seconds] }
        return request
    }

    private static func parsed(_ answer: [UInt8]) throws -> (result: Any, next: String?) {
        let object = try JSONSerialization.jsonObject(with: Data(answer), options: .fragmentsAllowed) as? [String: Any] ?? [:]
        if let error = object["error"] as? [String: String] {
            let isUsage = error["code"] == "bad-request"
            throw CommandError(isUsage ? .usage : .unavailable, error["reason"] ?? "the timeline gave no answer")
        }
        return (object["result"] ?? [Any](), object["next"] as? String)
    }

    /// A list with the rest of it; a page with the rest of its vital signs.
    private static func merged(_ result: Any, _ more: Any, isNewestFirst: Bool) -> Any {
        if let list = result as? [Any], let rest = more as? [Any] { return isNewestFirst ? rest + list : list + rest }
        guard var page = result as? [String: Any], let rest = more as? [String: Any] else { return result }
        page["vitals"] = (page["vitals"] as? [Any] ?? []) + (rest["vitals"] as? [Any] ?? [])
        return page
    }

    private func shown(_ result: Any, _ invocation: Invocation) throws -> String {
        switch try invocation[S.output] {
        case .table: ResultTable(result, columns: columns).table
        case .csv: String(ResultTable(result, columns: columns).csv(raw: try invocation[S.raw]).dropLast(1))
        case .json: try Self.json(result, pretty: true)
        }
    }

    private static func json(_ value: Any, pretty: Bool) throws -> String {
        var options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]
        if pretty { options.insert(.prettyPrinted) }
        return String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    }
}
