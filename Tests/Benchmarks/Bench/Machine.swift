import Foundation

/// What the numbers were measured on.
enum Machine {
    static var description: String {
        let cpu =
            lines("/proc/cpuinfo").first { $0.hasPrefix("model name") }?.split(separator: ":").last.map { String($0.dropFirst()) } ?? "?"
        let load = lines("/proc/loadavg").first?.split(separator: " ").first ?? "?"
        let kernel = lines("/proc/sys/kernel/osrelease").first ?? "?"
        return
            "\(ProcessInfo.processInfo.activeProcessorCount) × \(cpu), \(memory / 1_073_741_824) GB, Linux \(kernel), load \(load) at the start"
    }

    /// Bytes of memory.
    static var memory: UInt64 { ProcessInfo.processInfo.physicalMemory }

    private static func lines(_ path: String) -> [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }
}
