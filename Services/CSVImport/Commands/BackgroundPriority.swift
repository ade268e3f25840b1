import Foundation

/// The place in the processor's queue of what may wait: behind the services that carry live data.
enum BackgroundPriority {
    private static let niceness: Int32 = 10

    /// Puts the process there: Linux counts niceness by thread, and a new thread has that of the one that started it.
    static func take() {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        for thread in threads.compactMap({ id_t($0) }) { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), thread, niceness) }
    }
}
