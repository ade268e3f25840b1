import Foundation

/// What the numbers were measured on.
enum Machine {
    static var description: String {
        let cpu =
            lines("/proc/cpuinfo").first { $0.hasPrefix("model name") }?.split(separator: ":").last.map { String($0.dropFirst()) } ?? "?"
        let memory =
            lines("/proc/meminfo").first { $0.hasPrefix("MemTotal") }?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let load = lines("/proc/loadavg").first?.split(separator: " ").first ?? "?"
        let kernel = lines("/proc/sys/kernel/osrelease").first ?? "?"
        return
            "\(ProcessInfo.processInfo.activeProcessorCount) × \(cpu), \(memory / 1_048_576) GB, Linux \(kernel), load \(load) at the start"
    }

    private static func lines(_ path: String) -> [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }
}
