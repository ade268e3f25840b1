import Access
import VigilSchema

/// A participant's data in mappings: sensors that bridges announced under the name, which are forgotten, and files of the operator's that name
/// the person, which only the operator can change.
struct MappingErasure: Sendable {
    /// The files that name a participant, so that what they name would come again.
    struct Named: Error, CustomStringConvertible {
        let places: [String]
        var description: String {
            "mappings still name the participant: \(places.joined(separator: ", ")); take the name out, have them read again by vigil map reload, and ask again"
        }
    }

    private static let kind = "mapped topics"

    let rules: MappingRules

    /// Gives up the topics of announced sensors that name the participant, in the kept list of topics too.
    /// - Returns: the number of announcements that were forgotten.
    func forget(_ participant: String) -> [String: Int] { [Self.kind: rules.forget(participant).count] }

    /// - Returns: what would be forgotten.
    func export(_ participant: String) throws -> PersonalData {
        try PersonalData(Self.kind, rules.announcements(naming: participant).map { ["topic": $0] })
    }

    /// - Throws: `Named` where files name the participant.
    func check(_ participant: String) throws(Named) {
        let places = rules.files.places(naming: participant)
        guard places.isEmpty else { throw Named(places: places) }
    }
}

extension MappingSet {
    /// The table of people and the mappings that say that a sensor is a participant's. Nobody's are the unknown's.
    func places(naming participant: String) -> [String] {
        guard participant != "unknown" else { return [] }
        let isInTable = people.rows.contains { Name.valid($0.value) == participant }
        let naming = mappings.filter { mapping in
            (mapping.participant.isFromTable(people) ? [] : mapping.participant.constants).contains { Name.valid($0) == participant }
        }
        return (isInTable ? ["the table people"] : []) + naming.map { "\($0.name) (\($0.file.split(separator: "/").last ?? ""))" }
    }
}

extension Mapping.Source {
    /// Returns whether it is looked up in a table, which is told of once and not for each mapping that has it.
    fileprivate func isFromTable(_ other: GlobTable) -> Bool { table.map { $0.rows.map(\.value) == other.rows.map(\.value) } ?? false }

    /// The texts that stand in the file.
    fileprivate var constants: [String] {
        var all = table?.rows.map(\.value) ?? []
        if case .constant(let text)? = fallback { all.append(text) }
        switch origin {
        case .constant(let text): all.append(text)
        case .choice(let cases): all += cases.flatMap(\.source.constants)
        case .expression: break
        }
        return all
    }
}

extension DiscoveredEntity {
    /// Returns whether its topic or one of its names holds a participant's.
    func isNaming(_ participant: String) -> Bool {
        ([topic] + names + identifiers + [device].compactMap(\.self)).contains { $0.isNaming(participant) }
    }
}

extension String {
    /// Returns whether a name stands in it by itself, not within a longer word.
    func isNaming(_ name: String) -> Bool {
        ranges(of: name).contains { range in
            let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : " "
            let behind = range.upperBound < endIndex ? self[range.upperBound] : " "
            return !before.isWordCharacter && !behind.isWordCharacter
        }
    }
}

extension Character {
    fileprivate var isWordCharacter: Bool { isLetter || isNumber || self == "_" }
}
