import SQLiteDatabase
import VigilSchema

/// The part of everything stored in which a statement's conditions can hold.
struct SelectScope: Equatable {
    var participant: String?
    var metric: String?
    /// Microseconds, both ends included.
    var first: Int64 = -62_135_596_800_000_000
    var last: Int64 = 253_402_300_800_000_000

    init(_ conditions: [VirtualCondition], of columns: [VirtualColumn]) {
        for condition in conditions {
            switch columns[condition.column].name {
            case "participant": if condition.comparison == .equal { participant = Self.name(condition.value) ?? participant }
            case "metric": if condition.comparison == .equal { metric = Self.name(condition.value) ?? metric }
            case "time": limit(condition.comparison, Self.moment(condition.value))
            // Texts are in the order of what they stand for.
            case "at", "day": limit(condition.comparison, Self.day(condition.value))
            default: break
            }
        }
    }

    /// Numbers of days, a day wider, in which a wearer's day can lie.
    var widened: SelectScope {
        var scope = self
        scope.first -= RollupLevel.day.width
        scope.last += RollupLevel.day.width
        return scope
    }

    private mutating func limit(_ comparison: VirtualCondition.Comparison, _ range: ClosedRange<Int64>?) {
        guard let range else { return }
        if [.equal, .greater, .atLeast].contains(comparison) { first = max(first, range.lowerBound) }
        if [.equal, .less, .atMost].contains(comparison) { last = min(last, range.upperBound) }
    }

    private static func name(_ value: SQLiteValue) -> String? {
        switch value {
        case .text(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }

    private static func moment(_ value: SQLiteValue) -> ClosedRange<Int64>? {
        switch value {
        case .integer(let number): number...number
        case .real(let number):
            if let first = Int64(exactly: number.rounded(.down)), let last = Int64(exactly: number.rounded(.up)) {
                first...last
            } else {
                nil
            }
        default: nil
        }
    }

    /// The day with which a text begins; nil where it begins otherwise.
    private static func day(_ value: SQLiteValue) -> ClosedRange<Int64>? {
        guard case .text(let text) = value else { return nil }
        let parts = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]) else {
            return nil
        }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isValid, date.text == text.prefix(10) else { return nil }
        let first = Int64(date.daysSince1970) * RollupLevel.day.width
        return first...first + RollupLevel.day.width - 1
    }
}

/// A moment as SQLite's views write it: texts of one length, in the order of time.
enum SelectMoment {
    static func text(_ microseconds: Int64) -> String {
        let day = microseconds.flooredQuotient(by: RollupLevel.day.width)
        let (seconds, fraction) = (microseconds - day * RollupLevel.day.width).quotientAndRemainder(dividingBy: 1_000_000)
        let date = CivilDate(daysSince1970: Int(day))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(27)
        func put(_ number: Int, _ width: Int, _ end: Character) {
            var (rest, place) = (number, 1)
            for _ in 1..<width { place *= 10 }
            while place > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / place))
                rest %= place
                place /= 10
            }
            bytes.append(end.asciiValue ?? 0)
        }
        put(date.year, 4, "-")
        put(date.month, 2, "-")
        put(date.day, 2, "T")
        put(Int(seconds / 3600), 2, ":")
        put(Int(seconds / 60 % 60), 2, ":")
        put(Int(seconds % 60), 2, ".")
        put(Int(fraction), 6, "Z")
        return String(decoding: bytes, as: UTF8.self)
    }
}
