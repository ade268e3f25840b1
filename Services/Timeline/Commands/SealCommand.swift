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

    static let command = Command(
        name: "seal", summary: "packs the numbers of days that are over",
        details: """
            Packed numbers take a twentieth of the room. Every command and page reads them; the SQL view readings \
            shows only days that are not packed. A day that something late arrives for is unpacked until the next \
            run. vigil-timeline --seal-after does this regularly.
            """,
        settings: [after, unseal] + CommonSettings.database, operands: .none
    ) { invocation in
        let after = try invocation[after], unseal = try invocation[unseal]
        guard (after != nil) != unseal else { throw CommandError(.usage, "give --after DURATION or --unseal true") }
        let store = try TimelineCommands.openStore(invocation)
        if let after {
            let report = try await store.sealDays(before: Timestamp.now.advanced(bySeconds: -(after / .seconds(1))))
            print("\(report.readings) readings packed into \(report.blocks) blocks of \(report.bytes) bytes")
        } else {
            print("\(try await store.unsealDays()) readings unpacked")
        }
        await store.close()
    }
}
