package import Foundation

/// Structured log lines: a message that never varies and metadata that does.
///
/// `log.info("batch stored", ["count": "20"])`. Lines go to standard error, each written whole. No sensor values at info
/// and above. Threading: from anywhere.
package struct Logger: Sendable {
    /// Shown in every line.
    package let service: String
    package let level: LogLevel
    private let metadata: [String: String]
    private let sink: @Sendable (LogEntry) -> Void

    /// Writes to standard error.
    package init(service: String, level: LogLevel = .info, format: LogFormat = .text) {
        self.init(service: service, level: level) { StandardError.line(format.line($0)) }
    }

    /// Hands each entry to `sink`, which any thread may call.
    package init(
        service: String, level: LogLevel, metadata: [String: String] = [:], sink: @escaping @Sendable (LogEntry) -> Void
    ) {
        self.service = service
        self.level = level
        self.metadata = metadata
        self.sink = sink
    }

    /// The same logger with metadata for every line.
    package func with(_ more: [String: String]) -> Logger {
        Logger(service: service, level: level, metadata: metadata.merging(more) { _, new in new }, sink: sink)
    }

    package func debug(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.debug, message, metadata())
    }

    package func info(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.info, message, metadata())
    }

    package func notice(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.notice, message, metadata())
    }

    package func warning(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.warning, message, metadata())
    }

    package func error(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.error, message, metadata())
    }

    /// Writes one line, where `level` is logged at all.
    package func log(_ level: LogLevel, _ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        guard level >= self.level else { return }
        let all = self.metadata.merging(metadata()) { _, new in new }
        sink(LogEntry(time: Date(), level: level, service: service, message: "\(message)", metadata: all))
    }
}

/// The content of one log line.
package struct LogEntry: Sendable {
    package let time: Date
    package let level: LogLevel
    package let service: String
    package let message: String
    package let metadata: [String: String]
}

/// The level of a log line.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Lines on standard error, each written with one call so that lines of several threads do not mix.
package enum StandardError {
    /// Writes a line, without anything that a terminal would obey; a closed standard error is no reason to fail.
    package static func line(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text.replacing("\n", with: " ").printable + "\n").utf8))
    }
}
