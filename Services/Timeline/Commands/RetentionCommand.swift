import Foundation
import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// `vigil timeline retention`: how long things are kept.
enum RetentionCommand {
    private static let kind = Setting.optional(
        "kind", ValueFormat<KindName>.choice, help: "The kind of rule to set; without it the rules are shown.")
    private static let days = Setting.optional(
        "days", .integer(in: 0...100_000), help: "The number of days to keep, 2 or more; 0 removes the rule.")
    private static let apply = Setting("apply", .boolean, default: false, help: "Apply the rules now.")

    /// The names of `RetentionRule.Kind`.
    private enum KindName: String, CaseIterable, Sendable { case raw, waveform, rollup }

    static let command = Command(
        name: "retention", summary: "shows, sets and applies retention rules for readings, waveforms and rollups",
        details: """
            A rule applies to one metric with --metric, else to all metrics without a rule of their own. Without \
            a rule everything stays stored. Rollups are never removed before the readings. After --apply, older \
            readings are refused, because the rollups contain them.
            """,
        settings: [kind, TimelineSettings.metric, days, apply] + CommonSettings.database, operands: .none
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        try await setRule(store, invocation)
        if try invocation[apply] {
            let report = try await store.applyRetention(now: .now)
            for (table, count) in report.rows.sorted(by: { $0.key < $1.key }) { print("\(table): \(count) rows removed") }
            for partition in report.partitions { print("\(partition): dropped") }
        }
        let rules = try await store.retentionRules()
        await store.close()
        guard !rules.isEmpty else { return print("no rules: everything is kept") }
        print(
            ResultTable(
                rules.map { ["kind": $0.kind.rawValue, "metric": $0.metric ?? "all others", "days": $0.days] as [String: Any] },
                columns: ["kind", "metric", "days"]
            ).table)
    }

    private static func setRule(_ store: any TimelineStore, _ invocation: Invocation) async throws {
        let metric = try invocation[TimelineSettings.metric]
        switch (try invocation[kind].flatMap { RetentionRule.Kind(rawValue: $0.rawValue) }, try invocation[days]) {
        case (nil, nil): return
        case (let kind?, 0): _ = try await store.removeRetention(kind, metric: metric)
        case (let kind?, let days?): try await store.setRetention(RetentionRule(kind, metric: metric, days: days))
        default: throw CommandError(.usage, "--kind and --days must be given together")
        }
    }
}
