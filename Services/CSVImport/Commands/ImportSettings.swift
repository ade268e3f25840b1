import MessageBus
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// The settings of `vigil-import`, besides those of the broker.
enum ImportSettings {
    static let participant = Setting.optional("participant", .name, help: "The participant of every row, whatever the file says.")
    static let source = Setting.optional("source", .text, help: "The source of every row, whatever the file says.")
    static let session = Setting.optional("session", .text, help: "The session of every row, whatever the file says.")
    static let passphrase = Setting.secret("passphrase", help: "The passphrase file for sealed exports.")
    static let zone = Setting.optional(
        "zone",
        .text(accepts: "UTC, an offset such as +02:00, or a name such as Europe/Berlin", placeholder: "ZONE") { WearerZone($0) != nil },
        help: "The wearer's time zone, for times without a zone.")
    static let dateOrder = Setting.optional(
        "date-order", ValueFormat<DateOrder>.choice, help: "The order of dates such as 3/4/2016, if the rows leave it open.")
    static let units = Setting(
        "unit", .list(of: .text(accepts: "HEADER=UNIT", placeholder: "HEADER=UNIT") { $0.contains("=") }), default: [],
        help: "The units of columns, for example weight=[lb_av]; UCUM or a common spelling.")
    static let metrics = Setting(
        "metric", .list(of: .text(accepts: "HEADER=METRIC", placeholder: "HEADER=METRIC") { ImportSettings.metric($0) != nil }),
        default: [],
        help: "The metric of columns with an ambiguous header, for example temp=skin-temperature.")
    static let profile = Setting.optional(
        "profile", .text, help: "A built-in profile or a profile file, instead of the first that fits; `sniff` shows that one.")
    static let correctsMilliseconds = Setting(
        "correct-milliseconds", .boolean, default: false, help: "Correct times in which milliseconds were added to seconds.")
    static let sessionStart = Setting.optional(
        "session-start", .number(in: -2e9...4e9), help: "The start of the recording in Unix seconds, for beats whose file does not tell it."
    )
    static let delimiter = Setting.optional(
        "delimiter", .text(accepts: "one character, or tab", placeholder: "CHARACTER") { ImportSettings.delimiterByte($0) != nil },
        help: "The separator of fields, instead of the detected one.")
    static let decimal = Setting.optional(
        "decimal", .text(accepts: "a point or a comma", placeholder: ".|,") { $0 == "." || $0 == "," },
        help: "The decimal separator, instead of the detected one.")
    static let encoding = Setting.optional(
        "encoding", ValueFormat<TextEncoding>.choice, help: "The encoding, instead of the detected one.")
    static let columns = Setting.optional(
        "columns", .text, help: "The column names of a file without a header, such as timestamp,heart-rate,- (- skips one).")
    static let reading: [any AnySetting] = [
        columns, passphrase, participant, source, session, zone, dateOrder, units, metrics, profile, correctsMilliseconds, sessionStart,
        delimiter,
        decimal,
        encoding,
    ]

    static let patterns = Setting(
        "pattern", .list(of: .text), default: SourceFinder.usualPatterns, help: "The files of a folder that are imported.")
    static let again = Setting("again", .boolean, default: false, help: "Import files again that the ledger already has.")
    static let dryRun = Setting(
        "dry-run", .boolean, default: false, help: "Read everything and report what would happen; send and store nothing.")
    static let maximumErrors = Setting.optional(
        "max-errors",
        .text(accepts: "a number of cells or a share such as 1%", placeholder: "N|P%") { RejectLimit($0) != nil },
        help: "The most refused cells of a file, as a number or in per cent; then it is stopped.")
    static let rejects = Setting.optional(
        "rejects", .path, help: "Write refused cells to this CSV file, which can be corrected and imported.")
    static let parallel = Setting("parallel", .integer(in: 1...16), default: 2, help: "The number of files that are read at once.")
    static let patience = Setting(
        "patience", .duration(in: .seconds(1) ... .seconds(7 * 86_400)), default: .seconds(3600),
        help: "How long the store may be silent before the import stops; it can be continued later.")
    static let store = Setting.optional(
        "store",
        ValueFormat<StoreAddress>(accepts: StoreAddress.accepts, placeholder: "ADDRESS", read: { StoreAddress($0) }, write: { _ in "" }),
        help: "Write to this store directly, without a broker and vigil-timeline.")
    static let quiet = Setting("quiet", .boolean, default: false, help: "Print errors and totals only.")
    static let running: [any AnySetting] = [patterns, again, dryRun, maximumErrors, rejects, parallel, quiet] + delivery

    /// The settings of the destination.
    static let delivery: [any AnySetting] = [store, CommonSettings.storePassword, patience, ShareSettings.shares]

    /// The settings of the ledger.
    static let ledger: [any AnySetting] = ImportState.setting.all + CommonSettings.state

    static let json = Setting("json", .boolean, default: false, help: "As JSON, for programs.")
    static let listing: [any AnySetting] = [json]

    /// The orders of a date's parts.
    enum DateOrder: String, Sendable, CaseIterable {
        case dayFirst = "dmy"
        case monthFirst = "mdy"
    }

    /// The two halves of `HEADER=METRIC`; nil: the metric is no valid name.
    static func metric(_ text: String) -> (header: String, metric: String)? {
        guard let sign = text.lastIndex(of: "="), sign > text.startIndex else { return nil }
        let name = String(text[text.index(after: sign)...])
        return Name.isValid(name) ? (String(text[..<sign]), name) : nil
    }

    static func delimiterByte(_ text: String) -> UInt8? {
        if text == "tab" { return UInt8(ascii: "\t") }
        guard text.utf8.count == 1, let byte = text.utf8.first, byte >= 0x09, byte != UInt8(ascii: "\"") else { return nil }
        return byte
    }
}

extension Configuration {
    /// The files; sealed ones are opened if there is a passphrase.
    func opened(_ files: [ImportFile]) throws(ConfigurationError) -> [ImportFile] {
        guard let passphrase = try self[ImportSettings.passphrase] else { return files }
        let sealed = SealedFiles(passphrase: passphrase.exposed)
        return files.map(sealed.opened)
    }
}

extension ImportOptions {
    /// The options for the files from the command line.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        typealias Settings = ImportSettings
        self.init()
        participant = try configuration[Settings.participant]
        source = try configuration[Settings.source]
        session = try configuration[Settings.session]
        zone = try configuration[Settings.zone]
        dateFormats = try configuration[Settings.dateOrder].map { $0 == .dayFirst ? TimeFormat.dayFirst : TimeFormat.monthFirst }
        correctsMilliseconds = try configuration[Settings.correctsMilliseconds]
        sessionStart = try configuration[Settings.sessionStart]
        delimiter = try configuration[Settings.delimiter].flatMap(Settings.delimiterByte)
        decimal = try configuration[Settings.decimal]?.utf8.first
        encoding = try configuration[Settings.encoding]
        columns =
            try configuration[Settings.columns]?.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmed } ?? []
        for unit in try configuration[Settings.units] {
            let parts = unit.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            units[String(parts[0])] = String(parts[1])
        }
        for case let (header, metric)? in try configuration[Settings.metrics].map(Settings.metric) { metrics[header] = metric }
    }
}
