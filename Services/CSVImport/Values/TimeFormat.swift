/// How a time column is written.
package enum TimeFormat: Hashable, Sendable {
    /// A number since 1970; the value is a unit's length in microseconds: 1,000,000 for seconds.
    case unix(unit: Int64)
    /// A date and time by a pattern of `TimePattern`.
    case pattern(String)

    /// As profiles write it: `unix`, `unix-ms`, `unix-us`, or a pattern.
    package init(_ name: String) {
        switch name {
        case "unix": self = .unix(unit: 1_000_000)
        case "unix-ms": self = .unix(unit: 1000)
        case "unix-us": self = .unix(unit: 1)
        default: self = .pattern(name)
        }
    }

    /// As profiles write it.
    package var name: String {
        switch self {
        case .unix(let unit): unit == 1_000_000 ? "unix" : unit == 1000 ? "unix-ms" : "unix-us"
        case .pattern(let text): text
        }
    }

    /// Groups of formats that have a name of their own.
    private static let groups = [("iso8601", iso8601), ("month-first", monthFirst), ("day-first", dayFirst)]

    /// The formats that profiles write so: each by its name, or a group of them by the group's.
    package static func all(named names: [String]) -> [TimeFormat] {
        names.flatMap { name in groups.first { $0.0 == name }?.1 ?? [TimeFormat(name)] }
    }

    /// As profiles write them, groups by their names.
    package static func names(of formats: [TimeFormat]) -> [String] {
        var names: [String] = []
        var rest = formats[...]
        while let first = rest.first {
            let group = groups.first { rest.starts(with: $0.1) }
            names.append(group?.0 ?? first.name)
            rest = rest.dropFirst(group?.1.count ?? 1)
        }
        return names
    }

    /// ISO 8601 in the forms that exports use, the fullest first.
    package static let iso8601: [TimeFormat] = [
        "yyyy-MM-dd'T'HH:mm:ss.SZ", "yyyy-MM-dd'T'HH:mm:ssZ", "yyyy-MM-dd HH:mm:ss Z", "yyyy-MM-dd HH:mm:ssZ", "yyyy-MM-dd'T'HH:mm:ss.S",
        "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ss.S", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mmZ", "yyyy-MM-dd'T'HH:mm",
        "yyyy-MM-dd HH:mm", "yyyy-MM-dd", "yyyy/MM/dd HH:mm:ss", "yyyy/MM/dd HH:mm", "yyyy/MM/dd", "MMM d yyyy h:mm a", "MMM d yyyy HH:mm",
        "MMM d, yyyy h:mm a", "MMM d, yyyy HH:mm", "MMM d yyyy", "d MMM yyyy HH:mm", "d MMM yyyy",
    ].map(TimeFormat.pattern)

    /// Month first, as in the United States.
    package static let monthFirst: [TimeFormat] = [
        "M/d/yyyy h:mm:ss a", "M/d/yyyy h:mm a", "M/d/yyyy H:mm:ss", "M/d/yyyy H:mm", "M/d/yyyy", "M/d/yy h:mm a", "M/d/yy H:mm", "M/d/yy",
        "M-d-yyyy h:mm a", "M-d-yyyy H:mm", "M-d-yyyy",
    ].map(TimeFormat.pattern)

    /// Day first, as in most of Europe.
    package static let dayFirst: [TimeFormat] = [
        "d/M/yyyy H:mm:ss", "d/M/yyyy H:mm", "d/M/yyyy h:mm a", "d/M/yyyy", "d.M.yyyy H:mm:ss", "d.M.yyyy H:mm", "d.M.yyyy",
        "d-M-yyyy H:mm:ss", "d-M-yyyy H:mm", "d-M-yyyy h:mm a", "d-M-yyyy", "d.M.yy H:mm", "d/M/yy",
    ].map(TimeFormat.pattern)
}
