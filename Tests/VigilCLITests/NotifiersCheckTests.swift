import AlertRules
import Foundation
import Testing

@testable import VigilCLI

@Suite("Notifiers in vigil check")
struct NotifiersCheckTests {
    @Test(
        "a wrong file and a refused recipient fail the check, none at all is a warning",
        arguments: [
            (#"{"ok":true,"hasFile":true,"isWell":true,"problems":[],"lines":["a  delivering"]}"#, true, false),
            (#"{"ok":true,"hasFile":true,"isWell":true,"problems":["n.json5:2:3: no"],"lines":[]}"#, false, false),
            (#"{"ok":true,"hasFile":true,"isWell":false,"problems":[],"lines":["a  refused: b: 550 no"]}"#, false, false),
            (#"{"ok":true,"hasFile":false,"isWell":true,"problems":["no notifiers"],"lines":[]}"#, true, true),
            (#"{"ok":false,"error":"e"}"#, false, false), ("nonsense", false, false),
        ])
    func findings(answer: String, isWell: Bool, isWarning: Bool) {
        let finding = NotifiersCheck.finding(Array(answer.utf8))
        #expect(finding.isWell == isWell && finding.isWarning == isWarning, "\(finding)")
    }
}

@Suite("Words for an alert's transitions")
struct TransitionWordsTests {
    private static func page(_ language: String) throws -> [String: String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Services/Dashboard/Web/lang/\(language).json")
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    }

    @Test(
        "are the same in the pages and in vigil watch, one for each transition of the engine and no other", arguments: ["en", "de", "ru"])
    func words(language: String) throws {
        let page = try Self.page(language)
        let shown = page.keys.filter { $0.hasPrefix("transition.") }.map { String($0.dropFirst("transition.".count)) }
        #expect(Set(shown) == Set(AlertEvent.Transition.allCases.map(\.rawValue)))
        let watch = try #require(WatchLanguage(rawValue: language))
        for transition in AlertEvent.Transition.allCases {
            let word = try #require(transition.words.byLanguage[language])
            #expect(page["transition.\(transition.rawValue)"] == word)
            // What begins stands out where lines run by.
            #expect(watch.word(transition.rawValue) == (transition == .raised ? word.isEmpty ? nil : watch.word("raised") : word))
            #expect(watch.word(transition.rawValue) != transition.rawValue || word == transition.rawValue)
        }
    }
}
