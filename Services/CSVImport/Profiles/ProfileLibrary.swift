import Foundation
import JSON5
import ServiceKit

/// Profiles of files that refer to each other, and the words and columns that they share.
package struct ProfileLibrary: Sendable {
    /// The profiles in the order in which they are tried.
    package private(set) var profiles: [Profile] = []
    /// Lists of words by name.
    var words: [String: [String]] = [:]
    /// Sets of columns by name.
    var columns: [String: [ColumnRule]] = [:]

    /// An empty library.
    init() {}

    /// Reads a folder of JSON5 files.
    /// - Throws: `ImportError` with every mistake, each with its file, line and column.
    package init(folder: String) throws(ImportError) {
        var reader = ProfileReader()
        var files: [(path: String, problems: JSON5Problems)] = []
        for name in try ProfileLibrary.names(folder) {
            let path = "\(folder)/\(name)"
            guard let bytes = FileManager.default.contents(atPath: path) else { throw ImportError(.usage, "\(path) cannot be read") }
            files.append((path, JSON5Problems()))
            do throws(JSON5Problem) {
                reader.add(try JSON5Parser.parse(utf8: Array(bytes)), files[files.count - 1].problems)
            } catch {
                throw ImportError(.usage, error.description(file: path))
            }
        }
        reader.finish()
        let mistakes = files.flatMap { file in file.problems.sorted.map { $0.description(file: file.path) } }
        guard mistakes.isEmpty else { throw ImportError(.usage, mistakes.joined(separator: "\n")) }
        self = reader.library
        profiles.sort { $0.order < $1.order }
    }

    private static func names(_ folder: String) throws(ImportError) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let files = names.filter { $0.hasSuffix(".json5") }.sorted()
        guard !files.isEmpty else { throw ImportError(.usage, "\(folder) holds no .json5 file") }
        return files
    }

    /// The profile of a name.
    func profile(_ name: String) -> Profile? { profiles.first { $0.name == name } }

    /// Adds a profile, and returns the name of one that has the same order.
    mutating func add(_ profile: Profile) -> String? {
        let other = profiles.first { $0.order == profile.order }?.name
        profiles.append(profile)
        return other
    }
}

/// The profiles that come with the importer, in `deploy/profiles`. The first that fits a header is taken: narrow ones
/// have a lower order than wide ones.
package enum BuiltIn {
    private static let loaded: Result<ProfileLibrary, ImportError> = {
        guard let folder = ShippedFiles.path("profiles", installed: "profiles") else {
            return .failure(
                ImportError(.usage, "the profiles of files are missing: /usr/share/vigil/profiles, or deploy/profiles of a checkout"))
        }
        return Result { () throws(ImportError) in try ProfileLibrary(folder: folder) }
    }()

    static let library = (try? loaded.get()) ?? ProfileLibrary()

    /// Checks that they are there. Without them no table can be read.
    package static func check() throws(ImportError) { _ = try loaded.get() }

    /// All of them, in their order.
    package static var profiles: [Profile] { library.profiles }

    /// Cells that this importer refused, corrected.
    static let rejects = profile("vigil-rejects")
    /// Vigil's own exports.
    static let vigilExport = profile("vigil")
    /// The importer's home format.
    static let healthHacks = profile("health-hacks")
    /// CareLink, whose parts have one header.
    static let careLink = profile("carelink")
    /// Marks of an Empatica E4.
    static let empaticaTags = profile("empatica-tags")
    /// Training of Polar Flow, whose times run from a start above the header.
    static let polarSamples = profile("polar-samples")
    /// Any table with a row a value.
    static let genericLong = profile("generic-long")
    /// Any table with a time, by the names of its columns.
    static let generic = profile("generic")

    private static func profile(_ name: String) -> Profile {
        library.profile(name)
            ?? Profile(name: name, title: "", time: TimeRule(columns: []), participant: NameRule(), source: NameRule())
    }

    /// Returns whether the generic profile has a rule or a meaning for a column of that name.
    static func knows(_ header: String) -> Bool { knownHeaders.contains(HeaderName(header)) }

    /// Returns whether the generic profile knows a column of that name as a count, of which there are no parts.
    static func isCount(_ header: String) -> Bool { counts.contains(HeaderName(HeaderUnit.inBrackets(header)?.name ?? header)) }

    private static let counts = Set(
        generic.columns.filter { $0.metric == "steps" || $0.metric == "floors" }.flatMap(\.headers).map(HeaderName.init))

    private static let knownHeaders = Set((generic.columns.flatMap(\.headers) + generic.time.columns.joined()).map(HeaderName.init))
}

/// The words by which tables call their columns, in the languages in which programs export.
enum Vocabulary {
    /// The rules of columns by these words, for any table.
    static let columns = BuiltIn.library.columns["vocabulary"] ?? []
    /// The words for a moment or a day.
    static let moments = words("moment")
    /// The words for a time of day.
    static let clocks = words("clock")
    /// The words for the time at which a row begins.
    static let starts = words("start")
    /// The words for the time at which it ends.
    static let ends = words("end")
    /// Words that say no more than that something was measured: `Messwert Puls`, `glucose value`.
    static let fillers = Set(words("filler").map(HeaderName.init))

    /// Words of which a header has one where its times of day are no time of the row.
    private static let durations = words("duration").map(HeaderName.folded)

    /// Returns whether a header names how long something took, or when somebody slept.
    static func isDuration(_ header: String) -> Bool {
        let folded = HeaderName.folded(header)
        return durations.contains { folded.contains($0) }
    }

    private static func words(_ name: String) -> [String] { BuiltIn.library.words[name] ?? [] }
}
