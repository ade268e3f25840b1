import Foundation
import TestSupport
import Testing
import VigilSchema

@testable import CSVImport

@Suite("profiles as files")
struct ShippedProfileTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/profiles").path

    @Test("every file that is shipped can be read, and its profiles are tried in the order that they say")
    func shipped() throws {
        let library = try ProfileLibrary(folder: Self.folder)
        try BuiltIn.check()
        #expect(library.profiles == BuiltIn.profiles && library.profiles.count > 55)
        #expect(library.profiles.map(\.order) == library.profiles.map(\.order).sorted())
        #expect(library.profiles.suffix(2).map(\.name) == ["generic-long", "generic"])
        let texts = library.words.values.joined() + library.profiles.flatMap { $0.requires.joined() + $0.columns.flatMap(\.headers) }
        #expect(texts.filter { $0.hasPrefix("@") } == [])
    }

    @Test("each profile's times, metrics and units are ones that the importer knows", arguments: BuiltIn.profiles)
    func sound(_ profile: Profile) throws {
        _ = try TimeParser(profile.time.formats, zone: nil)
        for rule in profile.columns + profile.valueByFile.values {
            if let metric = rule.metric { #expect(Name.isValid(metric), "\(metric)") }
            guard rule.kind != .ignore, let unit = rule.unit ?? rule.usually,
                let definition = rule.metric.flatMap(MetricCatalogue.standard.definition(named:))
            else { continue }
            #expect(UnitConversion.from(unit, to: definition) != nil, "\(profile.name): \(unit) of \(definition.name)")
        }
    }

    @Test("files refer to each other's words, columns and profiles")
    func references() throws {
        let folder = try TemporaryFolder()
        try """
        {
          words: {sugar: {en: "glucose, sugar", de: "Zucker"}, both: ["@sugar", "bg"]},
          columns: {sugars: [{header: "@both (mg/dL)", metric: "blood-glucose", unit: "mg/dL"}, {header: "m#", repeat: 2, delay: 60, interval: 5}]},
        }
        """.write(toFile: folder.path("a.json5"), atomically: true, encoding: .utf8)
        try """
        {profiles: [
          {name: "late", order: 2, extends: "early", interval: 60, columns: [{header: "x", kind: "ignore"}, "early"], title: "t"},
          {name: "early", order: 1, time: {columns: ["t"]}, source: "s", requires: ["@sugar"], columns: ["sugars"]},
        ]}
        """.write(toFile: folder.path("b.json5"), atomically: true, encoding: .utf8)
        let library = try ProfileLibrary(folder: folder.url.path)
        #expect(library.profiles.map(\.name) == ["early", "late"])
        let early = library.profiles[0], late = library.profiles[1]
        #expect(early.requires == [["glucose", "sugar", "Zucker"]] && early.source == NameRule(constant: "s"))
        #expect(early.columns[0].headers == ["glucose (mg/dL)", "sugar (mg/dL)", "Zucker (mg/dL)", "bg (mg/dL)"])
        #expect(early.columns[1...].map(\.headers) == [["m00"], ["m01"]] && early.columns.map(\.delay) == [0, 0, 60])
        #expect(late.requires == early.requires && late.title == "t" && late.columns.map(\.interval) == [0, 60, 5, 5])
    }

    @Test("tells each mistake of a folder with its file and line")
    func mistakes() throws {
        let folder = try TemporaryFolder()
        try
            "{profiles: [{name: 'a', order: 1, time: {columns: ['t']}},\n{name: 'b', order: 1, extends: 'c', columns: ['d']}, {name: 'a', order: 2}, {name: 'e', order: 1}]}"
            .write(toFile: folder.path("a.json5"), atomically: true, encoding: .utf8)
        let error = #expect(throws: ImportError.self) { try ProfileLibrary(folder: folder.url.path) }
        let message = error?.message ?? ""
        #expect(message.contains("no profile \"c\"") && message.contains("no columns \"d\"") && message.contains("\"a\" is there twice"))
        #expect(message.contains("that of \"") && message.contains("a.json5:2:"))
        #expect(throws: ImportError.self) { try ProfileLibrary(folder: folder.path("none")) }
    }
}
