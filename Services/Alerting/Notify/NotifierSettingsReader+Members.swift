import AlertRules
import Foundation
import HTTPClient
import JSON5
import VigilSchema

/// Members that are checked where they are read; each mistake is named with its place.
extension NotifierSettingsReader {
    /// An unknown text is refused, with the nearest known name.
    func known(_ member: String, _ object: inout JSON5Object, of known: Set<String>, _ what: String) -> String? {
        guard let position = object.value(member)?.position, let name = object.string(member) else { return nil }
        if !known.contains(name) { refuse(member, name, position, object, known, what) }
        return name
    }

    func names(_ member: String, _ object: inout JSON5Object, of known: Set<String>, _ what: String) -> [String]? {
        guard let position = object.value(member)?.position, let elements = object.list(member) else { return nil }
        if elements.isEmpty { object.problems.add("\"\(member)\" is empty", at: position, suggestion: "leave it out for all") }
        for element in elements {
            if case .string(let name) = element.content, !known.contains(name) {
                refuse(member, name, element.position, object, known, what)
            }
        }
        return object.strings(member)
    }

    private func refuse(
        _ member: String, _ name: String, _ position: SourcePosition, _ object: JSON5Object, _ known: Set<String>, _ what: String
    ) {
        let all = known.isEmpty ? "there is none" : "known: \(known.sorted().joined(separator: ", "))"
        object.problems.add(
            "\"\(member)\": there is no \(what.dropFirst(2)) \"\(name)\"", at: position,
            suggestion: Spelling.suggestion(for: name, among: known.sorted()) ?? all)
    }

    func name(_ member: String, _ object: inout JSON5Object) -> String? {
        guard let position = object.value(member)?.position, let name = object.string(member) else { return nil }
        if Name.isValid(name) { return name }
        object.problems.add("\"\(member)\" has 1 to 64 of A-Z a-z 0-9 _ . -", at: position)
        return nil
    }

    func checked(_ member: String, _ object: inout JSON5Object, _ problem: String, _ isRight: (String) -> Bool) -> String? {
        guard let position = object.value(member)?.position, let text = object.string(member) else { return nil }
        if isRight(text) { return text }
        object.problems.add("\"\(member)\" \(problem)", at: position)
        return nil
    }

    func file(_ member: String, _ object: inout JSON5Object) -> String? {
        guard let position = object.value(member)?.position, let path = object.string(member) else { return nil }
        if !FileManager.default.isReadableFile(atPath: path) {
            object.problems.add("\"\(member)\": the file \(path) is missing or cannot be read", at: position)
        }
        return path
    }

    func duration(_ member: String, _ object: inout JSON5Object, _ least: String, _ most: String) -> Int64? {
        guard let position = object.value(member)?.position, let duration = object.duration(member) else { return nil }
        guard let low = DurationText.microseconds(least), let high = DurationText.microseconds(most), !(low...high).contains(duration)
        else {
            return duration
        }
        object.problems.add("\"\(member)\" must lie between \(least) and \(most)", at: position)
        return nil
    }

    func webAddress(_ member: String, _ object: inout JSON5Object) -> String? {
        guard let position = object.value(member)?.position, let url = object.string(member) else { return nil }
        do throws(TransferError) {
            try HTTPClient.check(url)
            return url
        } catch {
            object.problems.add("\"\(member)\": \(error.message)", at: position)
            return nil
        }
    }
}
