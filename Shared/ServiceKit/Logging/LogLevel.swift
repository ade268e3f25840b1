/// How much a log line matters.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
