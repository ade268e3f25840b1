import Foundation
import Observability
import ServiceKit
import Settings
import VigilSchema

/// What the timeline knows of a participant, and what people add to it.
enum TimelineOperations {
    private static let health = APIOperation.Caller.permitted(.seeHealth)
    private static let range: [APIOperation.Parameter] = [
        .init("metric", "The metric's name."), .init("from", .number, "Unix seconds; a day before `to` where it is missing."),
        .init("to", .number, "Unix seconds; now where it is missing."), .init("source", "One source only."),
    ]

    static let all =
        [participants, catalogue, page, profile, setProfile, addEntry, removeEntry, addLevels]
        + [
            query("latest", .latest, "The newest value of each metric."),
            query("metrics", .metrics, "What is stored: each metric's number of readings and their times."),
            query(
                "series", .series, "A metric in at most `width` steps with minimum, mean and maximum.",
                range + [.init("width", .integer, "Steps, for example the pixels of a plot; 1000 where it is missing.")]),
            query(
                "readings", .readings, "Readings, earliest first, page by page.",
                range + [
                    .init("limit", .integer, "Readings in a page, up to 10000."), .init("after", "The `next` of the page before."),
                ]),
            query("waveform", .waveform, "Samples of a waveform.", range),
            query("gaps", .gaps, "Where a metric is silent.", range + [.init("seconds", .number, "For longer than this.")]),
            query(
                "histogram", .histogram, "A metric by weekday, hour, day, week or month of the wearer's clock.",
                range + [.init("by", "weekday, hour, day, week or month."), .init("zone", "An IANA time zone.")]),
            query("alerts/history", .alerts, "The transitions of alerts.", Array(range[1...2])),
        ]

    private static let participants = APIOperation(
        "GET", "/participants", "The participants that the account may see, in their groups' order.", for: health
    ) { call in
        struct Item: Encodable {
            let id: String
            let name: String?
            let group: String?
            let birthDate: String?
            let timeZone: String?
        }
        let people = await call.dashboard.directory.people(for: call.account)
        let isOpen = !call.account.seesPseudonyms
        return APICall.json(
            people.map { person in
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
        }
        return APICall.json(
            MetricCatalogue.standard.definitions.map {
                Item(
                    name: $0.name, title: $0.title, kind: $0.kind.rawValue, unit: $0.unit, low: $0.plausible?.lowerBound,
                    high: $0.plausible?.upperBound)
            })
    }

    private static let page = APIOperation(
        "GET", "/participants/{participant}/page", "A day, week, month, year or decade on the wearer's calendar.",
        for: .permitted(.seeIdentity),
        query: [.init("span", "day, week, month, year or decade."), .init("to", .number, "A moment in it, in Unix seconds.")]
    ) { call in
        var request = TimelineRequest(.page, participant: call.participant)
        request.span = call.request.query["span"]
        request.to = try call.time("to")
        try await call.audit("see-timeline", request.span ?? "day")
        return .json(try await call.dashboard.bus.timeline(request))
    }

    private static let profile = APIOperation(
        "GET", "/participants/{participant}/profile", "What is known of the person.", for: .permitted(.seeIdentity)
    ) { call in
        .json(try await call.dashboard.bus.timeline(TimelineRequest(.profile, participant: call.participant)))
    }

    private static let setProfile = APIOperation(
        "PUT", "/participants/{participant}/profile", "Stores what is known of the person.", for: .permitted(.setThresholds),
        body: [
            .init("first", "The first name."), .init("last", "The last name."), .init("birthDate", "YYYY-MM-DD."),
            .init("timeZone", "An IANA time zone."), .init("group", "The family or ward."), .init("order", .integer, "Its place there."),
        ]
    ) { call in
        var request = TimelineRequest(.setProfile, participant: call.participant)
        request.profile = try call.body(ParticipantProfile.self)
        try await call.audit("set-profile")
        let answer = try await call.dashboard.bus.timeline(request)
        await call.dashboard.directory.forget(call.participant)
        return .json(answer)
    }

    private static let addEntry = APIOperation(
        "POST", "/participants/{participant}/entries", "Adds an entry, or replaces the one with its id.", for: .permitted(.enter),
        body: [
            .init("id", "1 to 64 of A-Z a-z 0-9 _ . -; a new one where it is missing."),
            .init("kind", TimelineEntry.Kind.allCases.map(\.rawValue).joined(separator: ", ") + "."),
            .init("time", .number, "Unix seconds; now where it is missing."), .init("ends", .number, "Unix seconds, where it lasts."),
            .init("description", "1 to 500 characters."), .init("detail", "Up to 4000 characters."),
        ]
    ) { call in
        struct Form: Decodable {
            let id: String?
            let kind: TimelineEntry.Kind
            let time: Timestamp?
            let ends: Timestamp?
            let description: String
            let detail: String?
        }
        let form = try call.body(Form.self)
        let now = Timestamp(seconds: call.dashboard.now())
        let entry = TimelineEntry(
            id: form.id ?? ULID.make(at: now), kind: form.kind, time: form.time ?? now, ends: form.ends, description: form.description,
            detail: form.detail)
        do { try entry.validate() } catch { throw APIError.malformed("\(error)") }
        var request = TimelineRequest(.addEntries, participant: call.participant)
        request.entries = [entry]
        try await call.audit("add-entry", form.kind.rawValue)
        _ = try await call.dashboard.bus.timeline(request)
        return APICall.json(["id": entry.id])
    }

    private static let removeEntry = APIOperation(
        "DELETE", "/participants/{participant}/entries/{id}", "Removes an entry.", for: .permitted(.enter)
    ) { call in
        var request = TimelineRequest(.removeEntry, participant: call.participant)
        request.id = try call.path("id")
        try await call.audit("remove-entry", request.id ?? "")
        _ = try await call.dashboard.bus.timeline(request)
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
        var request = TimelineRequest(.addLevels, participant: call.participant)
        request.levels = form.levels
        request.time = form.time
        try await call.audit("add-levels")
        return .json(try await call.dashboard.bus.timeline(request))
    }

    /// An operation that hands a question on to the timeline.
    private static func query(
        _ name: String, _ query: TimelineRequest.Query, _ summary: String, _ parameters: [APIOperation.Parameter] = []
    ) -> APIOperation {
        // What people wrote about somebody is not for accounts that may not know who that is.
        let caller = query == .alerts || query == .readings || query == .latest ? .permitted(.seeIdentity) : health
        return APIOperation("GET", "/participants/{participant}/\(name)", summary, for: caller, query: parameters) { call in
            var request = TimelineRequest(query, participant: call.participant)
            let given = call.request.query
            request.metric = given["metric"]
            request.source = given["source"]
            request.by = given["by"]
            request.zone = given["zone"]
            request.after = given["after"]
            (request.from, request.to) = (try call.time("from"), try call.time("to"))
            request.seconds = try call.number("seconds")
            request.width = try call.number("width").map { Int($0) }
            request.limit = try call.number("limit").map { Int($0) }
            try await call.audit("see-\(name.split(separator: "/").joined(separator: "-"))", request.metric ?? "")
            return .json(try await call.dashboard.bus.timeline(request))
        }
    }
}
