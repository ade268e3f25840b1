import SuiteHarness
import TestSupport

/// A load of numbered messages.
struct Publication: Sendable {
    enum Format: String, Sendable {
        /// Canonical batches, as `vigil-ingest` publishes them.
        case batch
        /// What a device sends.
        case device
        /// Canonical blocks of an electrocardiogram.
        case block
        /// The same as a device sends them.
        case deviceBlock = "device-block"
        /// Single readings as collectd's mqtt plugin takes them, as long as canonical ones.
        case collectd
    }

    var format = Format.batch
    var readings = NumberedReadings(base: 1_700_000_000)
    var messages: Int
    var perMessage = 1
    /// Unacknowledged messages at most.
    var window = 1000
    /// Messages a second; 0 for as fast as the window allows.
    var rate = 0
    /// Flags of `vigil-limits publish` beyond these.
    var extra: [String] = []

    /// Begins to publish.
    func start(port: UInt16, in folder: TemporaryFolder) throws -> LimitProgram {
        let flags = [
            "--port", "\(port)", "--format", format.rawValue, "--count", "\(messages)", "--per-message", "\(perMessage)",
            "--window", "\(window)", "--rate", "\(rate)",
        ]
        return try LimitProgram("publish", flags + readings.flags + extra, in: folder)
    }

    /// How many readings that is.
    var count: Int { messages * perMessage }
}
