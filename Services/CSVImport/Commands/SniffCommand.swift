import Foundation
import Observability
import ServiceKit
import Settings
import VigilSchema

/// `vigil-import sniff FILE`: shows how a file would be read.
enum SniffCommand {
    static let command = Command(
        name: "sniff", summary: "shows how a file would be read: dialect, header, and the profile, ready to edit",
        settings: ImportSettings.reading, operands: Operands("FILE", help: "the file")
    ) { invocation in
        let options = try ImportOptions(invocation.configuration)
        let surveyor = try ProfileChoice(invocation.configuration).surveyor(options)
        for file in try invocation.configuration.opened(SourceFinder().files(invocation.operands[0])) {
            for part in try FileExpander(options: options).expand(file) { try show(part, surveyor, options) }
        }
    }

    private static func show(_ file: ImportFile, _ surveyor: Surveyor, _ options: ImportOptions) throws {
        let survey = try surveyor.sniffed(file, now: .now)
        let lines = SurveyText(file, survey, options).text.split(separator: "\n", omittingEmptySubsequences: false)
        print(lines.map { String($0).printable }.joined(separator: "\n"))
    }
}

extension Surveyor {
    /// The survey of a file for its draft. What an import would ask is a remark, and open in the draft, which does not answer it.
    func sniffed(_ file: ImportFile, now: Timestamp) throws(ImportError) -> FileSurvey {
        var source = try file.open()
        var survey = try survey(try source.readStart(Surveyor.startLength), path: file.name, drafts: true)
        do {
            survey = try settled(survey, file, now: now)
        } catch {
            survey.warnings.append(error.message)
            if error.code == .ambiguous { survey.profile.time.formats = BuiltIn.library.profile(survey.profile.name)?.time.formats ?? [] }
        }
        return survey
    }
}

/// The report of `sniff` about a file.
struct SurveyText {
    private let file: ImportFile
    private let survey: FileSurvey
    private let profile: String

    init(_ file: ImportFile, _ survey: FileSurvey, _ options: ImportOptions) {
        self.file = file
        self.survey = survey
        profile = ProfileText(survey.profile, header: survey.header, options: options).json5
    }

    var text: String {
        let dialect = survey.dialect
        var lines = [
            "// \(file.name)",
            "// encoding \(dialect.encoding.rawValue), delimiter \(SurveyText.name(dialect.delimiter)), "
                + "quote \(SurveyText.name(dialect.quote)), decimal \(SurveyText.name(dialect.decimal)), header in record \(survey.headerRecord + 1)",
        ]
        lines += survey.warnings.map { "// note: \($0.split(separator: "\n").joined(separator: "\n//   "))" }
        if survey.isDraft { lines.append("// no profile fits; this is a draft to be corrected, and used with --profile FILE") }
        lines.append(profile)
        return lines.joined(separator: "\n")
    }

    private static func name(_ byte: UInt8) -> String { byte == 0x09 ? "tab" : String(UnicodeScalar(byte)) }
}
