import Foundation
import Observability
import ServiceKit
import Settings
import VigilSchema

/// The operations on what the timeline knows of a participant, and on what people add to it.
enum TimelineOperations {
    private static let health = APIOperation.Caller.permitted(.seeHealth)
    private static let identity = APIOperation.Caller.permitted(.seeIdentity)
    private static let range: [APIOperation.Parameter] = [
        .init("metric", "The metric's name."), .init("from", .number, "Unix seconds; a day before `to` where it is missing."),
        .init("to", .number, "Unix seconds; now where it is missing."), .init("source", "One source only."),
    ]

    static let all =
        [participants, catalogue, page, addEntry, endEntry, removeEntry, addLevels]
        + [
            // What people wrote about somebody is not for accounts that may not know who that is.
            query("latest", "The newest value of each metric.", for: identity) { .latest(participant: $0.participant) },
            query(
                "metrics", "What is stored: each metric's number of readings and their times.",
                [.init("counted", .boolean, "false leaves out the number, which takes long to count where there are years of readings.")]
            ) { .metrics(participant: $0.participant, counted: $0.request.query["counted"] != "false") },
            query(
                "series", "A metric in at most `width` steps with minimum, mean and maximum.",
                range + [.init("width", .integer, "Steps, for example the pixels of a plot; 1000 where it is missing.")]
            ) { .series(try $0.series, width: try $0.number("width").map { Int($0) }) },
            query(
                "readings", "Readings, earliest first, page by page.",
                range + [
                    .init("limit", .integer, "Readings in a page, up to 10000."), .init("after", "The `next` of the page before."),
                ], for: identity
            ) { call in
                .readings(
                    participant: call.participant, metric: call.request.query["metric"], try call.range,
                    limit: try call.number("limit").map { Int($0) })
            },
            query("waveform", "Samples of a waveform, 200,000 at the most; a longer time is for `waveform/envelope`.", range) {
                .waveform(try $0.series)
            },
            query(
                "waveform/envelope",
                "The smallest and the largest sample in each step of a time, a run of steps for each stretch of a source without a gap.",
                range + [
                    .init(
                        "width", .integer,
                        "Steps in the whole time, 120,000 of all sources together at the most; 1000 where it is missing.")
                ]
            ) { .envelope(try $0.series, width: try $0.number("width").map { Int($0) }) },
            query("gaps", "Where a metric is silent.", range + [.init("seconds", .number, "For longer than this.")]) {
                .gaps(try $0.series, longerThan: try $0.number("seconds"))
            },
            query(
                "histogram", "A metric by weekday, hour, day, week or month of the wearer's clock.",
                range + [.init("by", "weekday, hour, day, week or month."), .init("zone", "An IANA time zone.")]
            ) { .histogram(try $0.series, by: try $0.choice("by", default: .weekday), zone: $0.request.query["zone"]) },
            query(
                "entries", "What people entered that reaches into a time: an allergy, a condition or a medicine without an end stays.",
                Array(range[1...2]) + [.init("kinds", "Some kinds, separated by commas; all where it is missing.")], for: identity
            ) { .entries(participant: $0.participant, try $0.range, kinds: try $0.kinds) },
            query("alerts/history", "The transitions of alerts.", Array(range[1...2]), for: identity) {
                .alerts(participant: $0.participant, try $0.range)
            },
        ]

    private static let participants = APIOperation(
        "GET", "/participants", "The participants that the account may see, in their groups' order.", for: health,
        query: [.init("archived", .boolean, "true: also those that lists leave out.")], isLive: true
    ) { call in
        struct Item: Encodable {
            let id: String
            let name: String?
            let group: String?
            let birthDate: String?
            let timeZone: String?
        }
        try await call.auditProgram("participants")
        let isWhole = call.request.query["archived"] == "true"
        // Who is away from the accounts' database sees everybody rather than nobody.
        let archived = isWhole ? [] : (try? await call.dashboard.accounts.archived()) ?? []
        let people = await call.dashboard.directory.people(for: call.account)
        let isOpen = !call.account.seesPseudonyms
        return APICall.json(
            people.filter { !archived.contains($0.participant) }.map { person in
                let profile = person.profile
                let name = [profile.first, profile.last].compactMap { $0 }.joined(separator: " ")
                return Item(
                    id: call.dashboard.pseudonyms.name(person.participant, for: call.account),
                    name: isOpen ? (profile.pseudonym ?? (name.isEmpty ? nil : name)) : nil, group: isOpen ? profile.group : nil,
                    birthDate: isOpen ? profile.birthDate : nil, timeZone: profile.timeZone)
            })
    }

    private static let catalogue = APIOperation("GET", "/metrics", "The metrics that the suite knows.", for: .signedIn) { _ in
        struct Item: Encodable {
            let name: String
            let title: String
            let kind: String
            let unit: String
            let low: Double?
            let high: Double?
            /// Its code, and the system that it is of.
            let system: String?
            let code: String?
        }
        return APICall.json(
            MetricCatalogue.standard.definitions.map {
                Item(
                    name: $0.name, title: $0.title, kind: $0.kind.rawValue, unit: $0.unit, low: $0.plausible?.lowerBound,
                    high: $0.plausible?.upperBound, system: $0.code?.system, code: $0.code?.code)
            })
    }

    private static let page = APIOperation(
        "GET", "/participants/{participant}/page", "A day, week, month, year or decade on the wearer's calendar.",
        for: .permitted(.seeIdentity),
        query: [.init("span", "day, week, month, year or decade."), .init("to", .number, "A moment in it, in Unix seconds.")]
    ) { call in
        let span = try call.choice("span", default: PageSpan.day)
        try await call.audit("see-timeline", span.rawValue)
        return .json(try await call.bus.timeline(.page(participant: call.participant, span: span, to: call.time("to"))))
    }

    private static let addEntry = APIOperation(
        "POST", "/participants/{participant}/entries", "Adds an entry, or replaces the one with its id.", for: .permitted(.enter),
        body: [
            .init("id", "1 to 64 of A-Z a-z 0-9 _ . -; a new one where it is missing."),
            .init("kind", TimelineEntry.Kind.allCases.map(\.rawValue).joined(separator: ", ") + "."),
            .init("time", .number, "Unix seconds; now where it is missing."), .init("ends", .number, "Unix seconds, where it lasts."),
            .init("description", "1 to 500 characters."), .init("detail", "Up to 4000 characters."),
            .init("value", .number, "A measured number."), .init("unit", "Its UCUM unit."),
        ]
    ) { call in
        struct Form: Decodable {
            let id: String?
            let kind: TimelineEntry.Kind
            let time: Timestamp?
            let ends: Timestamp?
            let description: String
            let detail: String?
            let value: Double?
            let unit: String?
        }
        let form = try call.body(Form.self)
        let now = Timestamp(seconds: call.dashboard.now())
        let entry = TimelineEntry(
            id: form.id ?? ULID.make(at: now), kind: form.kind, time: form.time ?? now, ends: form.ends, description: form.description,
            value: form.value, unit: form.unit, detail: form.detail)
        do { try entry.validate() } catch { throw APIError.malformed("\(error)") }
        try await call.audit("add-entry", form.kind.rawValue)
        _ = try await call.bus.timeline(.addEntries([entry], participant: call.participant))
        return APICall.json(["id": entry.id])
    }

    private static let endEntry = APIOperation(
        "POST", "/participants/{participant}/entries/{id}/end", "Ends an allergy, a condition or a medicine that stands.",
        for: .permitted(.enter), body: [.init("time", .number, "Unix seconds; now where it is missing.")]
    ) { call in
        struct Form: Decodable { let time: Timestamp? }
        let id = try call.path("id")
        let end = try call.body(Form.self).time ?? Timestamp(seconds: call.dashboard.now())
        let standing = Set(TimelineEntry.Kind.allCases.filter(\.isStanding))
        let range = TimelineQuery.Range(from: end, to: end.advanced(bySeconds: 1))
        let known = try await call.bus.timeline(
            .entries(participant: call.participant, range, kinds: standing), as: [TimelineEntry].self)
        guard var entry = known.first(where: { $0.id == id }) else { throw APIError.notFound }
        entry.ends = end
        try await call.audit("end-entry", id)
        _ = try await call.bus.timeline(.addEntries([entry], participant: call.participant))
        return APICall.done
    }

    private static let removeEntry = APIOperation(
        "DELETE", "/participants/{participant}/entries/{id}", "Removes an entry.", for: .permitted(.removeEntries)
    ) { call in
        let id = try call.path("id")
        try await call.audit("remove-entry", id)
        _ = try await call.bus.timeline(.removeEntry(id: id, participant: call.participant))
        return APICall.done
    }

    private static let addLevels = APIOperation(
        "POST", "/participants/{participant}/levels", "Stores levels of pain, mood and energy, 0 to 10.", for: .permitted(.enter),
        body: [.init("levels", .object, "pain, mood, energy."), .init("time", .number, "Unix seconds; now where it is missing.")]
    ) { call in
        struct Form: Decodable {
            let levels: [String: Double]
            let time: Timestamp?
        }
        let form = try call.body(Form.self)
        try await call.audit("add-levels")
        return .json(try await call.bus.timeline(.addLevels(form.levels, participant: call.participant, time: form.time)))
    }

    /// Parts of a waveform whose sources are numbers, as a device may be called after its wearer.
    private static func numbered<Part: WaveformPart>(_ answer: [UInt8], _ type: Part.Type) throws -> HTTPResponse {
        guard var segments = try? JSONDecoder().decode([Part].self, from: Data(answer)) else {
            throw APIError(status: 502, code: "failed", reason: "the timeline's answer cannot be read")
        }
        var numbers: [String: Int] = [:]
        for place in segments.indices {
            let number = numbers[segments[place].source] ?? numbers.count + 1
            numbers[segments[place].source] = number
            segments[place].source = "\(number)"
        }
        return APICall.json(segments)
    }

    /// An operation that hands a question on to the timeline.
    private static func query(
        _ name: String, _ summary: String, _ parameters: [APIOperation.Parameter] = [], for caller: APIOperation.Caller = health,
        _ question: @escaping @Sendable (APICall) throws -> TimelineQuery
    ) -> APIOperation {
        APIOperation("GET", "/participants/{participant}/\(name)", summary, for: caller, query: parameters) { call in
            let query = try question(call)
            try await call.audit("see-\(name.split(separator: "/").joined(separator: "-"))", call.request.query["metric"] ?? "")
            let answer = try await call.bus.timeline(query, after: call.request.query["after"])
            guard call.account.seesPseudonyms else { return .json(answer) }
            switch query {
            case .waveform: return try numbered(answer, WaveformSegment.self)
            case .envelope: return try numbered(answer, WaveformEnvelope.self)
            default: return .json(answer)
            }
        }
    }
}

/// A part of a waveform, which names its source.
private protocol WaveformPart: Codable {
    var source: String { get set }
}
extension WaveformSegment: WaveformPart {}
extension WaveformEnvelope: WaveformPart {}

extension APICall {
    /// The time that the query names.
    fileprivate var range: TimelineQuery.Range {
        get throws { TimelineQuery.Range(from: try time("from"), to: try time("to")) }
    }

    /// The readings that the query names.
    fileprivate var series: TimelineQuery.Series {
        get throws {
            guard let metric = request.query["metric"], !metric.isEmpty else { throw APIError.malformed("metric is missing") }
            // Whoever may not know who it is could try out the names of devices.
            guard request.query["source"] == nil || !account.seesPseudonyms else {
                throw APIError.malformed("source is for accounts that may know who somebody is")
            }
            return TimelineQuery.Series(participant: participant, metric: metric, source: request.query["source"], range: try range)
        }
    }

    /// The kinds of entries that the query names.
    fileprivate var kinds: Set<TimelineEntry.Kind> {
        get throws {
            let names = (request.query["kinds"] ?? "").split(separator: ",").prefix(TimelineEntry.Kind.allCases.count + 1)
            return try Set(
                names.map { name in
                    guard let kind = TimelineEntry.Kind(rawValue: String(name)) else {
                        throw APIError.malformed("kinds names no kind of entry")
                    }
                    return kind
                })
        }
    }

    /// One of the cases of an enumeration.
    fileprivate func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, default value: Choice
    ) throws -> Choice where Choice.RawValue == String {
        guard let text = request.query[name] else { return value }
        guard let choice = Choice(rawValue: text) else {
            throw APIError.malformed("\(name) is none of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }
}
