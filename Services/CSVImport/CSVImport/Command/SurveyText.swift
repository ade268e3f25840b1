/// What `sniff` says of a file.
struct SurveyText {
    private let file: ImportFile
    private let survey: FileSurvey
    private let options: ImportOptions

    init(_ file: ImportFile, _ survey: FileSurvey, _ options: ImportOptions) throws(ImportError) {
        self.file = file
        self.survey = survey
        self.options = options
    }

    var text: String {
        let dialect = survey.dialect
        var lines = [
            "// \(file.name)",
            "// encoding \(dialect.encoding.rawValue), delimiter \(SurveyText.name(dialect.delimiter)), "
                + "quote \(SurveyText.name(dialect.quote)), decimal \(SurveyText.name(dialect.decimal)), header in record \(survey.headerRecord + 1)",
        ]
        lines += survey.warnings.map { "// note: \($0)" }
        lines.append(ProfileText(survey.profile, header: survey.header).json5)
        return lines.joined(separator: "\n")
    }

    private static func name(_ byte: UInt8) -> String { byte == 0x09 ? "tab" : String(UnicodeScalar(byte)) }
}
