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

    let query: TimelineQuery.Name
    let settings: [any AnySetting]
    /// The columns that are shown, in this order; nil: everything.
    var columns: [String]?

    /// The subcommand.
    func command(_ name: String, _ summary: String, participant: Bool = true) -> Command {
        Command(
            name: name, summary: summary, settings: settings + [S.output, S.raw] + CommonSettings.database,
            operands: participant ? Operands("PARTICIPANT", help: "the participant") : .none
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
        let now = Timestamp.now
        var request = TimelineRequest(try asked(invocation, now, limit: has(S.limit) ? invocation[S.limit].map { min($0, 1000) } : nil))
        var (result, next) = try Self.parsed(await handler.answer(request))
        while let after = next, room(in: result, invocation) > 0 {
            if has(S.limit) { request.query = try asked(invocation, now, limit: min(room(in: result, invocation), 1000)) }
            request.after = after
            let (more, last) = try Self.parsed(await handler.answer(request))
            result = Self.merged(result, more, isNewestFirst: query == .alerts)
            next = last
        }
        try StandardOutput.line(shown(result, invocation))
        if Self.isNothing(result, of: query), let metric = try invocation[S.metric] {
            let participant = invocation.operands.first ?? ""
            StandardError.line(
                "nothing of \(metric) is stored of \(participant) in that time; vigil timeline metrics \(participant) lists what there is")
        }
    }

    /// Returns whether an answer about a metric holds nothing of it: no steps, or bars of no readings.
    static func isNothing(_ result: Any, of query: TimelineQuery.Name) -> Bool {
        guard [.series, .waveform, .envelope, .histogram].contains(query), let list = result as? [Any] else { return false }
        return list.allSatisfy { ((($0 as? [String: Any])?["count"] as? NSNumber)?.int64Value ?? 1) == 0 }
    }

    /// Readings go out as they come, so that all of them can, in little memory. As a table, whose columns are as wide as what is in them, at
    /// most a thousand unless more are asked for.
    private func readings(_ handler: QueryHandler, _ invocation: Invocation) async throws {
        let (now, format) = (Timestamp.now, try invocation[S.output])
        var after = try invocation[S.after]
        var rest = try invocation[S.limit] ?? (format == .table ? 1000 : .max)
        var list: [Any] = []
        var isFirst = true
        var next: String?
        if format == .json { StandardOutput.line("[") }
        var isRead = true
        repeat {
            let request = TimelineRequest(try asked(invocation, now, limit: min(rest, 5000)), after: after)
            let (result, _) = try Self.parsed(await handler.answer(request))
            let page = result as? [String: Any] ?? [:]
            let readings = page["readings"] as? [Any] ?? []
            rest -= readings.count
            switch format {
            case .table: list += readings
            case .csv:
                isRead = Self.write(ResultTable(readings, columns: Self.readingColumns).csv(raw: try invocation[S.raw], header: isFirst))
            case .json:
                let lines = try readings.map { try Self.json($0, pretty: false) }.joined(separator: ",\n")
                isRead = Self.write(lines, after: isFirst ? "" : ",\n")
            }
            if !readings.isEmpty { isFirst = false }
            next = try page["next"].map { try Self.json($0, pretty: false) }
            after = next
        } while next != nil && rest > 0 && isRead
        guard isRead else { return }
        switch format {
        case .table: StandardOutput.line(ResultTable(list).table)
        case .csv: if isFirst { StandardOutput.line(Self.readingColumns.joined(separator: ",")) }
        case .json: StandardOutput.line(isFirst ? "]" : "\n]")
        }
        if let next { StandardError.line("there are more readings: go on with --after '\(next)', or raise --limit") }
    }

    private static let readingColumns = [
        "time", "metric", "value", "text", "unit", "source", "session", "sequence", "period", "zone", "received",
    ]

    /// Standard output without a line's end of its own; false once nobody reads any more.
    private static func write(_ text: String, after separator: String = "") -> Bool {
        text.isEmpty || StandardOutput.write(separator + text)
    }

    private func has(_ setting: any AnySetting) -> Bool { settings.contains { $0.declaration.name == setting.declaration.name } }

    /// The number of elements that may still be shown.
    private func room(in result: Any, _ invocation: Invocation) -> Int {
        guard has(S.limit), let list = result as? [Any] else { return .max }
        return ((try? invocation[S.limit]) ?? 1000) - list.count
    }

    /// The question, with as much of a list as there is room for.
    private func asked(_ invocation: Invocation, _ now: Timestamp, limit: Int?) throws -> TimelineQuery {
        let participant = invocation.operands.first ?? ""
        let range = TimelineQuery.Range(
            from: has(S.from) ? try invocation[S.from]?.moment(now: now) : nil, to: has(S.to) ? try invocation[S.to]?.moment(now: now) : nil
        )
        switch query {
        case .participants: return .participants
        case .metrics: return .metrics(participant: participant)
        case .latest: return .latest(participant: participant)
        // Readings can be of all metrics at once.
        case .readings: return .readings(participant: participant, metric: try invocation[S.metric], range, limit: limit)
        case .series: return .series(try series(participant, range, invocation), width: try invocation[S.width])
        case .waveform: return .waveform(try series(participant, range, invocation))
        case .envelope: return .envelope(try series(participant, range, invocation), width: try invocation[S.width])
        case .page: return .page(participant: participant, span: try invocation[S.span], to: range.to)
        case .histogram:
            return .histogram(try series(participant, range, invocation), by: try invocation[S.by], zone: try invocation[S.zone])
        case .sessions: return .sessions(participant: participant)
        case .gaps: return .gaps(try series(participant, range, invocation), longerThan: try invocation[S.seconds])
        case .alerts: return .alerts(participant: participant, range, limit: limit)
        case .entries: return .entries(participant: participant, range, limit: limit)
        case .profile: return .profile(participant: participant)
        default:
            throw CommandError(.usage, "\(query.rawValue) is no question")
        }
    }

    private func series(
        _ participant: String, _ range: TimelineQuery.Range, _ invocation: Invocation
    ) throws -> TimelineQuery.Series {
        guard let metric = try invocation[S.metric] else {
            throw CommandError(.usage, "--metric is missing; `vigil timeline metrics PARTICIPANT` lists what there is")
        }
        let source = has(S.source) ? try invocation[S.source] : nil
        return TimelineQuery.Series(participant: participant, metric: metric, source: source, range: range)
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
