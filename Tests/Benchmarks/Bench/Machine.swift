import Foundation

/// The machine that the numbers were measured on.
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

/// Processor time by process, in seconds: what a goal that was missed is explained by.
struct ProcessorUse: Sendable {
    /// By number: threads of the kernel change their names.
    private var processes: [Int: (name: String, seconds: Double)] = [:]
    /// Of all processors together, with the time in which they had nothing to do.
    private var capacity = 0.0

    private static let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))

    /// The processor time that the machine's present processes have used so far.
    static var now: ProcessorUse {
        var use = ProcessorUse()
        let total = fields("/proc/stat", behind: " ").prefix(8).reduce(0, +)
        use.capacity = total / ticks
        for process in ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap({ Int($0) }) {
            let file = "/proc/\(process)/stat"
            guard let name = name(file) else { continue }
            // Behind the name stand the state and ten numbers, then user and system time.
            use.processes[process] = (name, fields(file, behind: ")").dropFirst(11).prefix(2).reduce(0, +) / ticks)
        }
        return use
    }

    /// Returns the use since an earlier look, by processes that are still there.
    func since(_ earlier: ProcessorUse) -> ProcessorUse {
        var use = ProcessorUse()
        use.capacity = capacity - earlier.capacity
        for (process, now) in processes {
            use.processes[process] = (now.name, max(0, now.seconds - (earlier.processes[process]?.seconds ?? 0)))
        }
        return use
    }

    /// Tells how busy the processors were and with what, and how many of `count` units a second they could do at the most.
    func explanation(of count: Int, _ unit: String) -> String {
        let seconds = Dictionary(processes.values.map { ($0.name, $0.seconds) }, uniquingKeysWith: +)
        let total = seconds.values.reduce(0, +), processors = ProcessInfo.processInfo.activeProcessorCount
        let each = total / Double(max(1, count))
        let shares = seconds.sorted { $0.value > $1.value }.prefix(4).map {
            "\($0.key) \(Table.number($0.value / Double(max(1, count)) * 1e6))"
        }
        return """
            the processors were busy \(Table.number(total / capacity * 100)) % of the time; each of \(Table.number(Double(count))) \(unit) took \
            \(Table.number(each * 1e6)) µs of processor time (\(shares.joined(separator: ", "))), so that \(processors) processors without a \
            pause pass \(Table.number(Double(processors) / each)) a second
            """
    }

    private static func name(_ file: String) -> String? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8), let start = text.firstIndex(of: "("),
            let end = text.lastIndex(of: ")")
        else { return nil }
        return String(text[text.index(after: start)..<end])
    }

    /// The numbers of a file's first line behind the last such character of a name; a word counts as zero.
    private static func fields(_ file: String, behind separator: Character) -> [Double] {
        let line = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").prefix { $0 != "\n" }
        let start = separator == " " ? line.firstIndex(of: separator) : line.lastIndex(of: separator)
        return start.map { line[$0...].dropFirst().split(separator: " ").map { Double($0) ?? 0 } } ?? []
    }
}

extension Duration {
    /// In seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
