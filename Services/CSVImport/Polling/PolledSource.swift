import Foundation
import JSON5
import Observability
import Settings
import VigilSchema

/// A place that `vigil-import serve` asks for data by a timetable: one object of `sources.json5`.
struct PolledSource: Hashable, Sendable {
    /// What is asked, and how.
    enum Kind: Hashable, Sendable {
        /// Files at addresses.
        case addresses([String])
        /// Files that appear or change in a folder.
        case folder(String, patterns: [String])
        /// Resources of these types at a FHIR R4 server, of one patient or of all.
        case fhir(String, patient: String?, types: [String])
        /// A Nightscout site's entries and treatments.
        case nightscout(String)

        /// The member of the file that names it.
        var name: String {
            switch self {
            case .addresses: "url"
            case .folder: "folder"
            case .fhir: "fhir"
            case .nightscout: "nightscout"
            }
        }
    }

    /// The file of a credential, and how the server wants it.
    struct Credential: Hashable, Sendable {
        enum Form: String, Hashable, Sendable, CaseIterable {
            /// `Authorization: Bearer …`.
            case bearer
            /// Nightscout's `api-secret`, as its SHA-1.
            case secret
            /// `?token=…`.
            case query
        }

        let path: String
        let form: Form
    }

    let name: String
    let kind: Kind
    /// What files leave open; the participant among it.
    let answers: ImportAnswers
    let interval: Duration
    /// The time without a success after which an alarm is raised.
    let silence: Duration
    /// The limit of one request.
    let timeout: Duration
    /// How far behind the newest known time a server is asked again, for what came there late.
    let overlap: Duration
    /// The records asked for at once.
    let page: Int
    let credential: Credential?
    /// A file of trusted certificates in place of the system's.
    let authorities: String?

    /// Distinguishes what it asks from what another of its name asked before.
    var fingerprint: String { ContentDigest.of("\(kind) \(answers.participant ?? "")") }

    /// The credential now: the file may have been replaced.
    func secret() throws(PollFailure) -> String? {
        guard let credential else { return nil }
        guard let bytes = FileManager.default.contents(atPath: credential.path), bytes.count <= 16_384 else {
            throw PollFailure("the credential file cannot be read")
        }
        let line = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }
        guard !line.isEmpty else { throw PollFailure("the credential file is empty") }
        return String(line)
    }
}

/// The reason why a source could not be read, in words without content.
struct PollFailure: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String
    /// The server's status, if it answered.
    var status: Int?
    /// The time for which the server wants not to be asked.
    var retryAfter: Duration?

    init(_ description: String, status: Int? = nil, retryAfter: Duration? = nil) {
        self.description = description.printable
        (self.status, self.retryAfter) = (status, retryAfter)
    }
}

/// Reads `sources.json5`.
struct PolledSourceFile {
    private static let most = 100
    private static let mostAddresses = 1000

    private let folder: URL
    private let problems = JSON5Problems()

    /// The sources of a file.
    /// - Throws: `CommandError` with every mistake and its place.
    static func read(_ path: String) throws -> [PolledSource] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(.configuration, "\(path.printable) cannot be read")
        }
        return try read(String(decoding: data, as: UTF8.self), path: path)
    }

    /// - Parameter path: relative paths of the file start at its folder.
    static func read(_ text: String, path: String) throws -> [PolledSource] {
        let reader = PolledSourceFile(folder: URL(filePath: path).deletingLastPathComponent())
        let document: JSON5Value
        do { document = try JSON5Parser.parse(text) } catch { throw CommandError(.configuration, "\(path.printable): \(error)") }
        let sources = reader.sources(document)
        guard reader.problems.isEmpty else {
            let words = reader.problems.sorted.map { "\($0)" }.joined(separator: "; ")
            throw CommandError(.configuration, "\(path): \(words)".printable)
        }
        return sources
    }

    private init(folder: URL) { self.folder = folder }

    private func sources(_ document: JSON5Value) -> [PolledSource] {
        guard var object = JSON5Object(document, as: "the file of sources", problems: problems) else { return [] }
        object.require("sources")
        let elements = object.list("sources") ?? []
        object.refuseUnknown()
        if elements.count > Self.most { problems.add("at most \(Self.most) sources are taken", at: object.position) }
        var sources: [PolledSource] = []
        for element in elements {
            guard let source = JSON5Object(element, as: "a source", problems: problems).flatMap(source) else { continue }
            if sources.contains(where: { $0.name == source.name }) {
                problems.add("there are two sources called \"\(source.name)\"", at: element.position)
            }
            sources.append(source)
        }
        return sources
    }

    private func source(_ object: JSON5Object) -> PolledSource? {
        var object = object
        object.require("name")
        object.require("every")
        let name = object.string("name") ?? ""
        if !Name.isValid(name) { problems.add("\"name\" must be 1 to 64 of A-Z a-z 0-9 _ . -", at: object.position) }
        let kind = kind(&object)
        let interval = duration("every", &object) ?? .seconds(3600)
        var answers = ImportAnswers()
        answers.participant = object.string("participant")
        answers.zone = object.string("zone")
        answers.dateOrder = object.string("dateOrder")
        answers.profile = object.string("profile")
        do { _ = try answers.surveyor() } catch { problems.add(error.words, at: object.position) }
        let authorities = object.string("authorities").map(path)
        let (silence, timeout) = (duration("silence", &object), duration("timeout", &object))
        let (overlap, page) = (duration("overlap", &object), object.integer("page", in: 10...10_000))
        let credential = credential(&object, kind)
        object.refuseUnknown()
        guard let kind else { return nil }
        check(kind, answers.participant, object)
        let isNightscout = kind.name == "nightscout"
        return PolledSource(
            name: name, kind: kind, answers: answers, interval: interval, silence: silence ?? max(interval * 3, .seconds(900)),
            timeout: timeout ?? (kind.name == "url" ? .seconds(300) : .seconds(60)),
            overlap: overlap ?? (isNightscout ? .seconds(86_400) : .seconds(60)), page: page ?? (isNightscout ? 1000 : 200),
            credential: credential, authorities: authorities)
    }

    private func kind(_ object: inout JSON5Object) -> PolledSource.Kind? {
        var kinds: [PolledSource.Kind] = []
        let patterns = object.strings("pattern") ?? SourceFinder.usualPatterns
        let (patient, types) = (object.string("patient"), object.strings("types") ?? ["Observation"])
        if object.has("url"), let address = object.string("url") { kinds.append(.addresses([address])) }
        if let addresses = object.strings("urls") { kinds.append(.addresses(addresses)) }
        if let folder = object.string("folder") { kinds.append(.folder(path(folder), patterns: patterns)) }
        if let base = object.string("fhir") { kinds.append(.fhir(Self.base(base), patient: patient, types: types)) }
        if let base = object.string("nightscout") { kinds.append(.nightscout(Self.base(base))) }
        if kinds.count != 1 { problems.add("a source has one of url, urls, folder, fhir and nightscout", at: object.position) }
        return kinds.first
    }

    private func check(_ kind: PolledSource.Kind, _ participant: String?, _ object: JSON5Object) {
        let addresses: [String]
        switch kind {
        case .addresses(let list): addresses = list
        case .fhir(let base, let patient, let types):
            addresses = [base]
            if participant != nil, patient == nil {
                problems.add("\"patient\" is missing: everybody's data would become the participant's", at: object.position)
            }
            if types.isEmpty || !types.allSatisfy(Name.isValid) || !(patient.map(Name.isValid) ?? true) {
                problems.add("\"types\" or \"patient\" holds no FHIR name", at: object.position)
            }
        case .nightscout(let base):
            addresses = [base]
            if participant == nil { problems.add("\"participant\" is missing", at: object.position) }
        case .folder: return
        }
        if addresses.isEmpty || addresses.count > Self.mostAddresses {
            problems.add("a source has 1 to \(Self.mostAddresses) addresses", at: object.position)
        }
        for address in addresses {
            guard let words = PollAddress.objection(address) else { continue }
            problems.add("\(PublicURL.text(address)): \(words)", at: object.position)
        }
    }

    private func credential(_ object: inout JSON5Object, _ kind: PolledSource.Kind?) -> PolledSource.Credential? {
        let form = object.choice("credential", of: PolledSource.Credential.Form.allCases.map(\.rawValue))
        guard let file = object.string("credentialFile") else { return nil }
        let usual: PolledSource.Credential.Form = kind?.name == "nightscout" ? .secret : .bearer
        return .init(path: path(file), form: form.flatMap(PolledSource.Credential.Form.init) ?? usual)
    }

    private func duration(_ name: String, _ object: inout JSON5Object) -> Duration? {
        guard let text = object.string(name) else { return nil }
        guard let microseconds = DurationText.microseconds(text), (1_000_000...(31 * 86_400 * 1_000_000)).contains(microseconds) else {
            problems.add("\"\(name)\" must be a duration from 1s to 31d", at: object.position)
            return nil
        }
        return .microseconds(microseconds)
    }

    private func path(_ text: String) -> String { URL(filePath: text, relativeTo: folder).path }

    private static func base(_ text: String) -> String { String(text.reversed().drop { $0 == "/" }.reversed()) }
}
