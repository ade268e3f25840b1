import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// `vigil timeline seal`: packs days that are over, and unpacks them.
enum SealCommand {
    private static let after = Setting.optional(
        "after", .duration(in: .seconds(0)...(.seconds(36_525 * 86_400))), help: "Pack the days that have been over for so long (7d).")
    private static let unseal = Setting(
        "unseal", .boolean, default: false, help: "Unpack all days, for programs that read the SQL view readings.")
    private static let pause = Setting(
        "pause", .boolean, default: false, help: "Have nothing more packed, also by a run under way, until --resume.")
    private static let resume = Setting("resume", .boolean, default: false, help: "End the pause.")

    static let command = Command(
        name: "seal", summary: "packs the numbers of days that are over",
        details: """
            Packed numbers take a twentieth of the room. Every command and page reads them; the SQL view readings \
            shows only days that are not packed, and sealed_days the others. A day that something late arrives for \
            is unpacked until the next run. vigil-timeline --seal-after does this every minute.
            """,
        settings: [after, unseal, pause, resume] + CommonSettings.database, operands: .none
    ) { invocation in
        let after = try invocation[after], unseal = try invocation[unseal], pause = try invocation[pause], resume = try invocation[resume]
        guard [after != nil, unseal, pause, resume].count(where: { $0 }) == 1 else {
            throw CommandError(.usage, "give one of --after DURATION, --unseal, --pause and --resume")
        }
        let store = try TimelineCommands.openStore(invocation)
        if pause || resume {
            try await store.pauseSealing(pause)
            print(pause ? "packing is paused" : "packing goes on")
        } else if let after {
            guard try await !store.isSealingPaused() else {
                throw CommandError(.unavailable, "packing is paused: --resume lets it go on")
            }
            let report = try await store.sealDays(before: Timestamp.now.advanced(bySeconds: -(after / .seconds(1))))
            print("\(report.readings) readings packed into \(report.blocks) blocks of \(report.bytes) bytes")
            for month in try await store.shrinkMonths() { print("\(month) written anew") }
        } else {
            let report = try await store.unsealDays()
            print("\(report.readings) readings unpacked")
            guard report.damaged.isEmpty else { throw CommandError(.failure, report.damaged.joined(separator: "\n")) }
        }
        await store.close()
    }
}
