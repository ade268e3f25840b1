package import Foundation

/// What one log line says.
package struct LogEntry: Sendable {
    package let time: Date
    package let level: LogLevel
    package let service: String
    package let message: String
    package let metadata: [String: String]
}
