import ServiceKit

extension ImportOptions {
    /// What the command line says of the files.
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
        for unit in try configuration[Settings.units] {
            let parts = unit.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            units[String(parts[0])] = String(parts[1])
        }
    }
}
