import Access
import Foundation
import Observability
import VigilSchema

/// The facts known of a person, from the pages to the timeline and on to the alarm rules; people added, archived and erased.
enum ProfileOperations {
    static let all = [get, set, conditions, setConditions, add, archive, erase]

    private static let operate = APIOperation.Caller.permitted(.operate)

    private static let get = APIOperation(
        "GET", "/participants/{participant}/profile", "The facts known of the person.", for: .permitted(.seeIdentity)
    ) { call in
        .json(try await call.bus.timeline(.profile(participant: call.participant)))
    }

    private static let members: [APIOperation.Parameter] = [
        .init("first", "The first name."), .init("last", "The last name."), .init("birthDate", "YYYY-MM-DD."),
        .init("sex", "female, male, other or unknown."), .init("height", .number, "In cm."), .init("timeZone", "An IANA time zone."),
        .init("group", "The family or ward."), .init("order", .integer, "Its place there."),
    ]

    private static let set = APIOperation(
        "PUT", "/participants/{participant}/profile",
        "Changes the facts known of the person, for the alarm rules too; those that are not named stay, null takes one away. For operators.",
        for: operate, body: members
    ) { call in
        let known = try await call.bus.timeline(.profile(participant: call.participant))
        let profile = try merged(known, call.request.body)
        try await call.audit("set-profile")
        let answer = try await call.bus.timeline(.setProfile(profile, participant: call.participant))
        await call.dashboard.directory.forget(call.participant)
        try await RuleFacts.tell(call, profile, try await PersonConditions.read(call))
        return .json(answer)
    }

    /// What is known of a person with the members of a change in place of its own.
    private static func merged(_ known: [UInt8], _ change: [UInt8]) throws -> ParticipantProfile {
        var all = (try? JSONSerialization.jsonObject(with: Data(known))) as? [String: Any] ?? [:]
        guard let changes = (try? JSONSerialization.jsonObject(with: Data(change))) as? [String: Any] else {
            throw APIError.malformed("the body is no JSON object")
        }
        // Pregnancy is a condition, and follows from those.
        for (name, value) in changes where name != "isPregnant" { all[name] = value is NSNull ? nil : value }
        return try APICall.decoded(try JSONSerialization.data(withJSONObject: all))
    }

    private static let conditions = APIOperation(
        "GET", "/participants/{participant}/conditions", "Diabetes, COPD and pregnancy, as the alarm rules and the glance know them.",
        for: .permitted(.seeIdentity)
    ) { call in
        APICall.json(try await PersonConditions.read(call))
    }

    private static let setConditions = APIOperation(
        "PUT", "/participants/{participant}/conditions", "Sets diabetes, COPD and pregnancy, for the alarm rules too; for operators.",
        for: operate,
        body: [
            .init("diabetes", .boolean, "Whether the person has diabetes."), .init("copd", .boolean, "Whether the person has COPD."),
            .init("scale2", .boolean, "Whether 88–92 % oxygen is the aim (saturation scale 2)."),
            .init("pregnant", .boolean, "Whether the person is pregnant."), .init("due", "The due date, YYYY-MM-DD."),
            .init("delivered", "The date of the birth, within the last year, YYYY-MM-DD."),
        ]
    ) { call in
        let wanted = try call.body(PersonConditions.self)
        try wanted.validate(now: call.dashboard.now())
        try await call.audit("set-conditions")
        var profile = try await call.bus.timeline(.profile(participant: call.participant), as: ParticipantProfile.self)
        try await wanted.write(call)
        profile.isPregnant = wanted.isMaternal(now: call.dashboard.now())
        _ = try await call.bus.timeline(.setProfile(profile, participant: call.participant))
        try await RuleFacts.tell(call, profile, wanted)
        return APICall.json(wanted)
    }

    private static let add = APIOperation(
        "POST", "/participants", "Adds a person; whoever adds one sees them from now on.", for: operate,
        body: [.init("id", "1 to 64 of A-Z a-z 0-9 _ . -.")] + members
    ) { call in
        struct Form: Decodable { let id: String }
        let (id, profile) = (try call.body(Form.self).id, try call.body(ParticipantProfile.self))
        guard Name.isValid(id), !id.hasPrefix("_module.") else { throw APIError.malformed("id is 1 to 64 of A-Z a-z 0-9 _ . -") }
        // Asked anew, and refused without an answer: whoever adds a person sees what is stored of them from then on.
        let known = try await call.bus.timeline(.people, as: [KnownPerson].self).map(\.participant)
        guard !known.contains(id), !call.dashboard.hub.participants.contains(id) else {
            throw APIError(status: 409, code: "exists", reason: "there is somebody of this id already")
        }
        try await call.audit("add-person", of: id)
        let answer = try await call.bus.timeline(.setProfile(profile, participant: id))
        await call.dashboard.directory.forget(id)
        if !call.account.participants.contains("*") {
            try await call.dashboard.accounts.change(call.account.name, note: call.note) { $0.participants.append(id) }
        }
        return .json(answer)
    }

    private static let archive = APIOperation(
        "PUT", "/participants/{participant}/archived", "Leaves a person out of lists, or takes one back; data and alarms stay.",
        for: operate, body: [.init("archived", .boolean, "Whether lists leave the person out.")]
    ) { call in
        struct Form: Decodable { let archived: Bool }
        let isArchived = try call.body(Form.self).archived
        let line = AuditRecord(
            time: call.dashboard.now(), actor: call.account.name, action: isArchived ? "archive-person" : "unarchive-person",
            participant: call.participant, detail: "", address: call.request.peer)
        try await call.dashboard.accounts.archive(call.participant, isArchived, now: call.dashboard.now(), noting: [line])
        return APICall.done
    }

    private static let erase = APIOperation(
        "POST", "/participants/{participant}/erase",
        "Has every service forget a person, for good; for operators, with the present password and the person's id once more.",
        for: operate, body: [.init("confirm", "The person's id."), .init("password", "The present password.")]
    ) { call in
        struct Form: Decodable { let confirm: String }
        guard try call.body(Form.self).confirm == call.participant else { throw APIError.malformed("confirm is not the person's id") }
        try await call.checkPassword()
        try await call.audit("erase-person")
        return APICall.json(try await PersonErasure(bus: call.bus, hub: call.dashboard.hub).run(call.participant))
    }
}

/// The conditions that matter to rules and scores, kept as entries of the timeline under fixed ids, so that they stand at a glance.
struct PersonConditions: Codable, Sendable, Hashable {
    var diabetes: Bool?
    var copd: Bool?
    /// A Boolean value that indicates whether 88–92 % oxygen is the aim: saturation scale 2 of NEWS2.
    var scale2: Bool?
    var pregnant: Bool?
    /// `YYYY-MM-DD`.
    var due: String?
    /// `YYYY-MM-DD`: what holds in pregnancy holds for six weeks more.
    var delivered: String?

    private static let sixWeeks = 42 * 86_400.0
    private static let snomed = ["profile-diabetes": "73211009", "profile-copd": "13645005", ParticipantProfile.pregnancy: "77386006"]

    func validate(now: Double) throws(APIError) {
        if scale2 == true, copd != true { throw .malformed("saturation scale 2 is for people with COPD") }
        if let due {
            guard let time = Self.seconds(due), abs(time - now) < 400 * 86_400 else { throw .malformed("due is a date within a year") }
        }
        if let delivered {
            guard let time = Self.seconds(delivered), (now - 365 * 86_400...now).contains(time) else {
                throw .malformed("delivered is a date within the last year")
            }
        }
        if delivered != nil, pregnant == true { throw .malformed("who has given birth is pregnant no more") }
    }

    /// Whether what holds in pregnancy holds.
    func isMaternal(now: Double) -> Bool {
        pregnant == true || delivered.flatMap(Self.seconds).map { now < $0 + Self.sixWeeks } ?? false
    }

    static func read(_ call: APICall) async throws -> PersonConditions {
        let standing = try await standing(call)
        let copd = standing["profile-copd"]
        return PersonConditions(
            diabetes: standing["profile-diabetes"] != nil, copd: copd != nil, scale2: copd?.detail == "scale-2",
            pregnant: standing[ParticipantProfile.pregnancy] != nil, due: standing[ParticipantProfile.pregnancy]?.detail,
            delivered: standing[ParticipantProfile.birth].map { date($0.time) })
    }

    /// Begins and ends the entries that say so. What stands unchanged keeps its beginning.
    func write(_ call: APICall) async throws {
        let standing = try await Self.standing(call)
        let now = Timestamp(seconds: call.dashboard.now())
        var changed = [
            Self.entry("profile-diabetes", "Diabetes", diabetes == true, nil, standing, now),
            Self.entry("profile-copd", "COPD", copd == true, scale2 == true ? "scale-2" : nil, standing, now),
            Self.entry(ParticipantProfile.pregnancy, "Pregnancy", pregnant == true, due, standing, now),
        ].compactMap(\.self)
        let known = standing[ParticipantProfile.birth]
        if let time = delivered.flatMap(Self.seconds) {
            let start = Timestamp(seconds: time)
            changed.append(
                TimelineEntry(
                    id: ParticipantProfile.birth, kind: .condition, time: start, ends: start.advanced(bySeconds: Self.sixWeeks),
                    description: "Birth given"))
        } else if var known {
            known.ends = max(known.time, now)
            changed.append(known)
        }
        guard !changed.isEmpty else { return }
        _ = try await call.bus.timeline(.addEntries(changed, participant: call.participant))
    }

    /// The entry that is to be stored; nil where nothing changes.
    private static func entry(
        _ id: String, _ description: String, _ isWanted: Bool, _ detail: String?, _ standing: [String: TimelineEntry], _ now: Timestamp
    ) -> TimelineEntry? {
        guard var known = standing[id] else {
            let codes = snomed[id].map { ["http://snomed.info/sct": [$0]] }
            return isWanted
                ? TimelineEntry(id: id, kind: .condition, time: now, description: description, codes: codes, detail: detail) : nil
        }
        if isWanted, known.detail == detail { return nil }
        if isWanted { known.detail = detail } else { known.ends = max(known.time, now) }
        return known
    }

    private static func standing(_ call: APICall) async throws -> [String: TimelineEntry] {
        // What was said a moment ago by a clock that is a little ahead stands too.
        let now = Timestamp(seconds: call.dashboard.now() + 5)
        let range = TimelineQuery.Range(from: now, to: now.advanced(bySeconds: 1))
        let known = try await call.bus.timeline(
            .entries(participant: call.participant, range, kinds: [.condition]), as: [TimelineEntry].self)
        return Dictionary(known.filter { $0.id.hasPrefix("profile-") }.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static let format = Date.ISO8601FormatStyle().year().month().day()

    private static func seconds(_ text: String) -> Double? {
        guard let date = try? Date(text, strategy: format), date.formatted(format) == text else { return nil }
        return date.timeIntervalSince1970
    }

    private static func date(_ time: Timestamp) -> String { Date(timeIntervalSince1970: time.seconds).formatted(format) }
}

/// The facts that rules and scores need of a person, as a command of `vigil-alert`.
private struct RuleFacts: Encodable {
    let born: String?
    let pregnant: Bool
    let delivered: String?
    let saturationScale: Int
    let height: Double?

    private struct Command: Encodable {
        let command = "set-profile"
        let id: String
        let profile: RuleFacts
    }

    /// Tells the alarm rules, in place of what they were told before.
    static func tell(_ call: APICall, _ profile: ParticipantProfile, _ conditions: PersonConditions) async throws {
        let facts = RuleFacts(
            born: profile.birthDate, pregnant: conditions.pregnant == true, delivered: conditions.delivered,
            saturationScale: conditions.scale2 == true ? 2 : 1, height: profile.height)
        let command = Command(id: ULID.make(at: Timestamp(seconds: call.dashboard.now())), profile: facts)
        _ = try AlertOperations.confirmed(try await call.bus.alert(command, participant: call.participant, rule: "all"))
    }
}

/// The way of a person's erasure to the services, for whoever is signed in.
struct PersonErasure: ErasureRounds.Suite {
    /// What became of it, by service.
    struct Outcome: Encodable, Sendable {
        var removed: [String: Int] = [:]
        /// The reasons why something may be left, by service.
        var problems: [String: String] = [:]
    }

    let bus: SuiteClient
    let hub: LiveHub

    func run(_ participant: String) async throws -> Outcome {
        var (outcome, rounds) = (Outcome(), ErasureRounds())
        for row in try await rounds.run(participant, in: self) {
            let name = String(row.service.dropFirst("vigil-".count))
            outcome.problems[name] = row.problem
            if row.problem == nil || !row.removed.isEmpty { outcome.removed[name] = row.removed.values.reduce(0, +) }
        }
        return outcome
    }

    func presence(of service: String) -> ErasureRounds.Presence { hub.isOnline(service) ? .online : .offline }

    func erase(_ participant: String, from service: String, imports: [String]) async throws -> [String: Int] {
        try await bus.erase(participant, from: service, imports: imports)
    }

    func eraseFromTimeline(_ participant: String) async throws -> ErasureReport { try await bus.eraseFromTimeline(participant) }

    /// What the broker retains is the operator's: a dashboard may not publish there.
    var unattended: String? { nil }
    func sweep(_ participant: String) async throws -> [String: Int] { [:] }

    func problem(_ error: any Error, with service: String) throws -> String {
        guard let error = error as? APIError else { throw error }
        return error.reason
    }
}
