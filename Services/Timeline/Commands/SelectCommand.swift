import Foundation
import Observability
import ServiceKit
import Settings
import Synchronization
import TimelineStore
import VigilSchema

/// `vigil timeline sql`: a SELECT statement over packed and unpacked readings alike.
enum SelectCommand {
    private typealias S = TimelineSettings

    private static let limit = Setting.optional(
        "limit", .integer(in: 1...1_000_000_000), help: "The most rows; by default all as CSV or JSON, else 1000.")
    private static let timeout = Setting(
        "timeout", .duration(in: .seconds(1)...(.seconds(86_400))), default: .seconds(60), help: "The longest time that it may take.")

    static let command = Command(
        name: "sql", summary: "runs a SELECT statement over all numbers, packed or not",
        details: """
            The statement is SQLite's, whatever the store: SELECT metric, count(*), avg(value) FROM readings WHERE \
            participant = 'anna' AND at >= '2026-11-01' GROUP BY metric. Tables are readings, daily, sealed_days, \
            participants, entries and alerts. Name participant, metric and time (or at, or day): only what fits is \
            read. It can change nothing.
            """,
        settings: [limit, timeout, S.output, S.raw] + CommonSettings.database, operands: Operands("STATEMENT", help: "the SELECT statement")
    ) { invocation in
        if case .sqlite(let path) = try TimelineCommands.address(invocation[CommonSettings.store]) {
            // What a large sort cannot hold in memory lies beside the timeline, on a disk that is as private.
            setenv("SQLITE_TMPDIR", URL(filePath: path).deletingLastPathComponent().path, 0)
        }
        let store = try TimelineCommands.openStore(invocation)
        let format = try invocation[S.output]
        let query = SelectQuery(
            invocation.operands[0], limit: try invocation[limit] ?? (format == .table ? 1000 : .max), timeout: try invocation[timeout])
        let printer = SelectPrinter(format, raw: try invocation[S.raw])
        await AuditCommands.note("sql", participant: nil, in: store)
        do {
            try await store.select(query) { printer.take($0) }
            await store.close()
        } catch let error as StoreError where error.code == .badRequest {
            await store.close()
            throw CommandError(.usage, error.detail)
        } catch {
            await store.close()
            throw error
        }
        printer.finish()
    }
}

/// Prints rows as they come; a table, whose columns are as wide as what is in them, at the end.
private final class SelectPrinter: Sendable {
    private struct State {
        var columns: [String] = []
        var rows: [[String: Any]] = []
        var isFirst = true
        var isCut = false
    }

    private static let rowsAtOnce = 500

    private let format: TimelineSettings.OutputFormat
    private let raw: Bool
    private let state = Mutex(State())

    init(_ format: TimelineSettings.OutputFormat, raw: Bool) { (self.format, self.raw) = (format, raw) }

    /// Returns whether somebody still reads.
    func take(_ event: SelectQuery.Event) -> Bool {
        state.withLock { state in
            switch event {
            case .columns(let names): state.columns = Self.distinct(names)
            case .row(let values):
                state.rows.append(
                    Dictionary(
                        zip(state.columns, values.map { format == .json ? Self.json($0) : Self.text($0) }),
                        uniquingKeysWith: { first, _ in first }))
            case .cut: state.isCut = true
            }
            return format == .table || state.rows.count < Self.rowsAtOnce || write(&state)
        }
    }

    func finish() {
        state.withLock { state in
            switch format {
            case .table: StandardOutput.line(ResultTable(state.rows, columns: state.columns).table)
            case .csv: _ = write(&state)
            case .json:
                _ = write(&state)
                StandardOutput.line(state.isFirst ? "[]" : "\n]")
            }
            if state.isCut { StandardError.line("there are more rows: raise --limit") }
        }
    }

    private func write(_ state: inout State) -> Bool {
        defer { (state.rows, state.isFirst) = ([], state.isFirst && state.rows.isEmpty && format == .json) }
        guard format == .json else {
            return StandardOutput.write(ResultTable(state.rows, columns: state.columns).csv(raw: raw, header: state.isFirst))
        }
        guard !state.rows.isEmpty else { return true }
        let lines = state.rows.compactMap {
            try? JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys, .withoutEscapingSlashes])
        }
        return StandardOutput.write(
            (state.isFirst ? "[\n" : ",\n") + lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",\n"))
    }

    /// The names, each once: a second `time` is `time 2`.
    private static func distinct(_ names: [String]) -> [String] {
        var counts: [String: Int] = [:]
        return names.map { name in
            counts[name, default: 0] += 1
            return counts[name] == 1 ? name : "\(name) \(counts[name] ?? 0)"
        }
    }

    private static func text(_ value: SQLValue) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): CSVExport.number(number)
        case .text(let text): text
        case .blob(let bytes): "\(bytes.count) bytes"
        case .time(let time): String(time.microseconds)
        }
    }

    private static func json(_ value: SQLValue) -> Any {
        switch value {
        case .null: NSNull()
        case .integer(let number): number
        case .real(let number): number.isFinite ? number : NSNull()
        default: text(value)
        }
    }
}
