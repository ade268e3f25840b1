import Foundation
import ServiceKit

/// `vigil-import sniff FILE`: shows what a file is taken for.
enum SniffCommand {
    static let command = Command(
        name: "sniff", summary: "Shows how a file would be read: dialect, header, and the profile, ready to edit.",
        settings: ImportSettings.reading, operands: Operands("FILE", help: "a file to look at")
    ) { invocation in
        let options = try ImportOptions(invocation.configuration)
        let surveyor = try ProfileChoice(invocation.configuration).surveyor(options)
        for file in try SourceFinder().files(invocation.operands[0]) {
            var source = try file.open()
            let survey = try surveyor.survey(try source.readStart(Surveyor.startLength), path: file.name, drafts: true)
            print(SurveyText(file, survey, options).text)
        }
    }
}
