import VigilSchema

/// The columns by which makers say that a row is no measurement: deleted, invalid, a goal, a control solution's. They count in every profile, whatever
/// it leaves out, unless it reads them itself.
enum RowStatus {
    /// What a column's cells say of their rows.
    enum Meaning: Hashable, Sendable {
        /// The row is none where the cell says no.
        case unlessTrue
        /// The row is none where the cell says yes, or has a date.
        case ifSet
        /// The row is a sum of readings that are imported, too, where the cell names them.
        case unlessEmpty
        /// The row is none where the cell is one of these words.
        case oneOf(Set<String>)

        /// Returns whether a cell says that its row is none.
        func excludes(_ cell: String) -> Bool {
            let word = cell.trimmed.lowercased()
            return switch self {
            case .unlessTrue: ["false", "no", "0", "nein", "non", "n"].contains(word)
            case .ifSet: RowStatus.yes.contains(word) || RowStatus.isDate(word)
            case .unlessEmpty: !word.isEmpty
            case .oneOf(let words): words.contains(word)
            }
        }
    }

    /// The meaning of a column by its header; nil for any other.
    static func meaning(_ header: String) -> Meaning? { meanings[HeaderName(header)] }

    /// Every header that has a meaning, as it may be written.
    static var headers: [String] { rows.flatMap { $0.0.split(separator: ",").map { String($0).trimmed } } }

    private static let meanings: [HeaderName: Meaning] = {
        var meanings: [HeaderName: Meaning] = [:]
        for (names, meaning) in rows { for name in names.split(separator: ",") { meanings[HeaderName(String(name))] = meaning } }
        return meanings
    }()

    private static let rows: [(String, Meaning)] = [
        ("is valid, valid, gültig", .unlessTrue),
        ("is invalid, invalid, ungültig", .ifSet),
        ("is deleted, deleted, is removed, removed, deleted at, voided, void, gelöscht", .ifSet),
        ("excluded, is excluded, exclude, discarded, is discarded, discard, rejected, ausgeschlossen, verworfen", .ifSet),
        ("action, operation", .oneOf(["remove", "removed", "delete", "deleted"])),
        (
            "status, record status, state, entry status",
            .oneOf([
                "deleted", "removed", "entered-in-error", "cancelled", "canceled", "invalid", "void", "voided", "planned", "scheduled",
                "failed",
                "rejected", "discarded", "excluded", "predicted", "estimated", "error", "skipped",
            ])
        ),
        ("is test, simulated, is simulated, demo", .ifSet),
        ("is goal, is target", .ifSet),
        (
            "category, record type, type, kind, sample type, reading type, measurement type, value type, result type, entry type",
            .oneOf([
                "goal", "goals", "target", "targets", "objective", "control", "control solution", "control test", "kontrolllösung",
                "prediction",
                "predicted", "forecast", "estimate", "estimated", "simulated", "planned",
            ])
        ),
        (
            "control test, control solution, is control, control, kontrolltest, kontrolllösung, kontrolle",
            .oneOf(yes.union(["control", "control solution", "kontrolle", "kontrolllösung"]))
        ),
        ("is estimated, estimated, is predicted, predicted, interpolated, is interpolated", .ifSet),
        ("worn, is worn, on wrist, finger detected", .unlessTrue),
        ("finger off, no finger, lead off, leads off, probe off, sensor off, is calibrating, calibrating", .ifSet),
        ("prime, is prime, priming, is priming", .ifSet),
        ("quality, signal quality", .oneOf(["bad", "invalid", "unusable"])),
    ]

    fileprivate static let yes: Set<String> = ["true", "yes", "1", "x", "y", "ja", "oui", "sí", "si"]

    /// Returns whether a text is a date, as makers write when something was deleted.
    private static func isDate(_ text: String) -> Bool {
        let digits = text.prefix { $0.isNumber }
        return digits.count == 4 && text.dropFirst(4).hasPrefix("-") || digits.count >= 10 && digits.count == text.count
    }
}

/// A column that tells of each row whether it is a measurement.
struct StatusColumn: Hashable, Sendable {
    let index: Int
    let meaning: RowStatus.Meaning
}
