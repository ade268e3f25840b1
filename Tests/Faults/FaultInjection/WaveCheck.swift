import SuiteHarness
import TestSupport

/// Electrocardiograms of a few wearers for `vigil-stress`, and what must have become of them.
struct WaveCheck: Sendable {
    static let wearers = 4
    /// Blocks of half a second, as fast as time passes.
    static let samples = 125
    let blocks: Int

    init(seconds: Double) { blocks = max(1, Int(seconds * 2)) * Self.wearers }

    /// Sends the blocks as a device does.
    func publish(port: UInt16, receipts: Bool, in folder: TemporaryFolder) throws -> LimitProgram {
        try LimitProgram(
            "publish",
            [
                "--port", "\(port)", "--client-id", "wave-publisher", "--format", "device-block", "--name", "wave", "--participants",
                "\(Self.wearers)", "--base", "1700000000", "--count", "\(blocks)", "--per-message", "\(Self.samples)", "--rate",
                "\(2 * Self.wearers)", "--receipts", receipts ? "1" : "0",
            ], in: folder)
    }

    /// Whether every block is stored, once, whole; and whether the heart rates that were derived are those of the signal, 75 a minute.
    func problems(in store: StoreUnderTest) async throws -> [String] {
        let rows = try await store.rows(
            """
            SELECT p.name, count(*), count(DISTINCT w.time), sum(w.count) FROM waveform w JOIN participant p ON p.id = w.participant \
            WHERE p.name LIKE 'wave-%' GROUP BY 1
            """)
        let wanted = "\(blocks / Self.wearers)"
        let whole = rows.count { $0.count == 4 && $0[1] == wanted && $0[2] == wanted && $0[3] == "\(blocks / Self.wearers * Self.samples)" }
        var problems = whole == Self.wearers ? [] : ["blocks of samples: \(rows) instead of \(wanted) each"]
        let wrong = try await store.rows(
            """
            SELECT count(*) FROM reading r JOIN participant p ON p.id = r.participant JOIN metric m ON m.id = r.metric \
            WHERE p.name LIKE 'wave-%' AND m.name = 'heart-rate' AND (r.value < 65 OR r.value > 85)
            """)
        if wrong.first?.first != "0" { problems.append("\(wrong.first?.first ?? "?") derived heart rates are not the signal's") }
        return problems
    }
}
