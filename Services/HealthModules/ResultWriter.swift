import Foundation
import SQLiteDatabase
import ServiceKit
import VigilSchema

/// Stores a person's results and the messages to publish, in one transaction.
struct ResultWriter {
    /// The name of settings of a person that belong to no module.
    static let person = "person"
    /// The age beyond which observations go to `history/…`, where they raise no alarm.
    private static let liveFor = 86_400.0

    let registry: ModuleRegistry
    let tables: StateTables
    let now: Double

    /// Stores the outcomes of a request.
    func write(_ outcomes: [(module: String, outcome: EvaluationOutcome)], for due: DuePerson) throws {
        // The person was erased while the modules ran, so nothing is stored.
        guard try tables.existingPerson(due.name) == due.id else { return }
        let profile = try tables.profile(due.id)
        let enabled = Set(registry.enabled(profile).map(\.id))
        let marks = Dictionary(due.modules.map { ($0.module, $0.mark) }, uniquingKeysWith: { first, _ in first })
        var derived: [(module: String, observation: DerivedObservation)] = []
        for (module, outcome) in outcomes {
            switch outcome {
            case .result(let result) where enabled.contains(module):
                derived += try write(result, of: module, for: due, mark: marks[module], profile)
            case .result: try remove(module, for: due)
            case .failed(let reason): try fail(module, reason, for: due.id)
            case .postponed: try postpone(module, for: due.id)
            }
        }
        try publish(derived, participant: due.name)
    }

    /// Removes a module's results and its message.
    func remove(_ module: String, for due: DuePerson) throws {
        if try tables.result(due.id, module)?.message != nil { try tables.enqueue(topic(due.name, module), [], retained: true, now: now) }
        for table in ["result", "due", "failure"] {
            try tables.database.run("DELETE FROM \(table) WHERE person = ? AND module = ?", [.integer(due.id), .text(module)])
        }
    }

    private func write(
        _ result: ModuleResult, of module: String, for due: DuePerson, mark: Int64?, _ profile: ParticipantProfile
    ) throws -> [(module: String, observation: DerivedObservation)] {
        let before = try tables.result(due.id, module)
        // What became due again meanwhile stays due.
        if let mark {
            try tables.database.run(
                "DELETE FROM due WHERE person = ? AND module = ? AND mark = ?", [.integer(due.id), .text(module), .integer(mark)])
        }
        if let review = result.review { try tables.makeDue(due.id, [module], at: max(review, now + 1)) }
        let (message, change) = try say(result.message, before?.message, of: module, for: due, profile)
        try tables.database.run(
            "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?)",
            [.integer(due.id), .text(module), .real(now), .text(try text(result)), try message.map { .text(try text($0)) } ?? .null])
        try tables.database.run("DELETE FROM failure WHERE person = ? AND module = ?", [.integer(due.id), .text(module)])
        if before?.result.findings != result.findings { try tables.makeDue(due.id, registry.dependents(of: module), at: now) }
        try prune(module, due.id)
        let known = KnownObservations(before?.result.observations ?? [])
        return (result.observations.filter { !known.contains($0) } + change).map { (module, $0) }
    }

    /// Publishes a changed message, unless it must wait for the end of the quiet hours.
    /// - Returns: the current message, and the observation about the change.
    private func say(
        _ message: ModuleMessage?, _ standing: ModuleMessage?, of module: String, for due: DuePerson, _ profile: ParticipantProfile
    ) throws -> (ModuleMessage?, [DerivedObservation]) {
        guard message != standing else { return (standing, []) }
        guard let message else {
            try tables.enqueue(topic(due.name, module), [], retained: true, now: now)
            return (nil, [])
        }
        if message.kind == .reminder, let end = try quietUntil(due.id, profile) {
            try tables.makeDue(due.id, [module], at: end)
            return (standing, [])
        }
        let sent = SentMessage(
            schema: SentMessage.schema, participant: due.name, module: module, version: registry[module]?.identity.version ?? "", time: now,
            kind: message.kind, code: message.code, text: message.text)
        try tables.enqueue(topic(due.name, module), Array(try encoder.encode(sent)), retained: true, now: now)
        let language = try tables.setting(due.id, "\(Self.person).language")?.text ?? "en"
        return (message, [DerivedObservation("module-message", at: now, text: message.text[language])])
    }

    private func quietUntil(_ person: Int64, _ profile: ParticipantProfile) throws -> Double? {
        guard let hours = try tables.setting(person, "\(Self.person).quiet-hours").flatMap({ QuietHours($0.text) }) else { return nil }
        return hours.end(at: now, in: PersonCalendar(zone: profile.timeZone.flatMap(TimeZone.init(identifier:)) ?? .gmt))
    }

    /// A module that failed pauses for a minute, then four times as long each time, at most six hours.
    private func fail(_ module: String, _ reason: String, for person: Int64) throws {
        try tables.database.run(
            """
            INSERT INTO failure VALUES (?, ?, 1, ?)
            ON CONFLICT (person, module) DO UPDATE SET count = count + 1, reason = excluded.reason
            """, [.integer(person), .text(module), .text(reason)])
        let count = try tables.first(
            "SELECT count FROM failure WHERE person = ? AND module = ?", [.integer(person), .text(module)]
        ) { Int($0.integer(0)) }
        try rest(module, person, for: min(60 * pow(4, Double((count ?? 1) - 1)), 21_600))
    }

    private func postpone(_ module: String, for person: Int64) throws { try rest(module, person, for: 10) }

    private func rest(_ module: String, _ person: Int64, for seconds: Double) throws {
        try tables.database.run("DELETE FROM due WHERE person = ? AND module = ?", [.integer(person), .text(module)])
        try tables.makeDue(person, [module], at: now + seconds)
    }

    /// Removes readings that no module needs any more.
    private func prune(_ module: String, _ person: Int64) throws {
        for input in registry[module]?.inputs ?? [] where input.days < 3000 {
            guard let metric = try tables.existingMetric(input.metric), let days = registry.retention(of: input.metric)?.days else {
                continue
            }
            let limit = Int64((now - Double(days) * 86_400) * 1_000_000)
            try tables.database.run(
                "DELETE FROM reading WHERE person = ? AND metric = ? AND time <= ?", [.integer(person), .integer(metric), .integer(limit)])
        }
    }

    private func publish(_ derived: [(module: String, observation: DerivedObservation)], participant: String) throws {
        let partition = Partition(participant: participant)
        for (isLive, part) in Dictionary(grouping: derived, by: { $0.observation.time > now - Self.liveFor }) {
            let groups = Dictionary(grouping: part, by: \.module).sorted { $0.key < $1.key }.map { module, part in
                ObservationGroup(
                    participant: participant, source: "\(ReadingIntake.ownSource)/\(module)", received: Timestamp(seconds: now),
                    observations: part.compactMap { Self.observation($0.observation) })
            }.filter { !$0.observations.isEmpty }
            guard !groups.isEmpty else { continue }
            let time = Timestamp(seconds: now)
            let batch = ObservationBatch(id: ULID.make(at: time), groups: groups)
            let topic = isLive ? Topic.readings(partition) : Topic.history(partition)
            try tables.enqueue(topic.path, BatchEncoder.encode(batch), retained: false, now: now)
        }
    }

    /// The value in the catalogue's unit; nil if the catalogue refuses it.
    private static func observation(_ derived: DerivedObservation) -> Observation? {
        guard let definition = MetricCatalogue.standard.definition(named: derived.metric), abs(derived.time) < 1e11 else { return nil }
        let time = Timestamp(seconds: derived.time)
        if let text = derived.text, definition.kind == .text {
            return Observation(metric: derived.metric, time: time, sequence: derived.sequence ?? 0, content: .text(text), unit: "1")
        }
        guard let value = derived.value, value.isFinite, definition.plausible?.contains(value) ?? true else { return nil }
        return Observation(metric: derived.metric, time: time, content: .value(value), unit: definition.unit)
    }

    private func topic(_ participant: String, _ module: String) -> String { Topic.message(participant: participant, module: module).path }

    private func text(_ value: some Encodable) throws -> String { String(decoding: try encoder.encode(value), as: UTF8.self) }

    private var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

/// The observations that a module published before.
///
/// An earlier version gave all observations of one metric and time one identity. Only the last of them is in the
/// timeline; the others are published again.
private struct KnownObservations {
    private struct Place: Hashable {
        let metric: String
        let time: Double
    }

    private let all: Set<DerivedObservation>
    private let former: [Place: String]

    init(_ observations: [DerivedObservation]) {
        all = Set(observations)
        former = observations.reduce(into: [:]) { former, observation in
            guard observation.sequence == nil, let text = observation.text else { return }
            former[Place(metric: observation.metric, time: observation.time)] = text
        }
    }

    func contains(_ observation: DerivedObservation) -> Bool {
        if all.contains(observation) { return true }
        guard observation.sequence != nil, let text = observation.text else { return false }
        return former[Place(metric: observation.metric, time: observation.time)] == text
    }
}

/// A module's message as published.
package struct SentMessage: Sendable, Hashable, Codable {
    package static let schema = "vigil-message/1"

    package let schema: String
    package let participant: String
    package let module: String
    package let version: String
    /// Unix seconds.
    package let time: Double
    package let kind: ModuleMessage.Kind
    package let code: String
    package let text: LocalizedText

    package init(
        schema: String, participant: String, module: String, version: String, time: Double, kind: ModuleMessage.Kind, code: String,
        text: LocalizedText
    ) {
        self.schema = schema
        self.participant = participant
        self.module = module
        self.version = version
        self.time = time
        self.kind = kind
        self.code = code
        self.text = text
    }
}
