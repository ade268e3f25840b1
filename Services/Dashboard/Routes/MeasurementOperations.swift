import Foundation
import Observability
import VigilSchema

/// The operations by which people put in what they measured themselves, correct it and take it back.
enum MeasurementOperations {
    /// The most readings of one form: a blood pressure has three.
    private static let most = 20

    static let all = [enter, list, correct, remove]

    private static let path = "/participants/{participant}/measurements/{metric}/{time}"
    private static let account = APIOperation.Parameter(
        "account", "Who typed it in; the caller where it is missing. Another's is for operators.")

    private static let enter = APIOperation(
        "POST", "/participants/{participant}/measurements",
        "Stores measurements that somebody typed in; answered after the commit. Sent again with the same times they change nothing, "
            + "with other values they correct. What comes again under the same Idempotency-Key, here as in PUT and DELETE, changes nothing.",
        for: .permitted(.enter),
        body: [
            .init(
                "readings", .array,
                "Up to \(most) objects: metric, value or text, unit where it is not the metric's own, time in Unix seconds (now where it is missing)."
            )
        ]
    ) { call in
        let form = try call.body(Form.self)
        guard !form.readings.isEmpty, form.readings.count <= most else { throw APIError.malformed("readings has 1 to \(most) readings") }
        let now = call.dashboard.now()
        let observations = try form.readings.enumerated().map { index, reading in try reading.observation(at: now, index: index) }
        return try await once(call, again: APICall.json(Answer(stored: 0, duplicates: observations.count, corrections: 0))) {
            try await call.audit("add-measurements", observations.map(\.metric).joined(separator: " "))
            return try answer(to: try await call.bus.enter(observations, participant: call.participant))
        }
    }

    private static let list = APIOperation(
        "GET", "/participants/{participant}/measurements", "The newest measurements that people typed in, newest first.",
        for: .permitted(.seeIdentity),
        query: [
            .init("from", .number, "Unix seconds; thirty days before `to` where it is missing."),
            .init("to", .number, "Unix seconds; now where it is missing."),
        ]
    ) { call in
        let to = try call.number("to") ?? call.dashboard.now() + 60
        let from = try call.number("from") ?? to - 30 * 86_400
        try await call.audit("see-measurements")
        let range = TimelineQuery.Range(from: Timestamp(seconds: from), to: Timestamp(seconds: to))
        let found = try await TypedMeasurements(bus: call.bus, participant: call.participant).newest(range)
        return APICall.json(
            found.map { reading in
                let account = String(reading.source.dropFirst(TypedMeasurements.prefix.count))
                return TypedMeasurements.Item(
                    metric: reading.metric, value: reading.value, text: reading.text, unit: reading.unit, time: reading.time,
                    account: account, mine: mayChange(account, call))
            })
    }

    private static let correct = APIOperation(
        "PUT", path, "Corrects a measurement that was typed in; for who typed it in, and operators.", for: .signedIn, query: [account],
        body: [
            .init("value", .number, "The right number; or"), .init("text", "the right text."),
            .init("unit", "Where it is not the metric's own."),
        ]
    ) { call in
        struct Correction: Decodable {
            let value: Double?
            let text: String?
            let unit: String?
        }
        return try await once(call, again: APICall.json(Answer(stored: 0, duplicates: 1, corrections: 0))) {
            let (known, account) = try await target(call)
            let form = try call.body(Correction.self)
            let reading = Reading(metric: known.metric, value: form.value, text: form.text, unit: form.unit, time: known.time.seconds)
            let observation = try reading.observation(at: call.dashboard.now(), index: 0)
            try await call.audit("correct-measurement", "\(known.metric) \(account)")
            return try answer(to: try await call.bus.enter([observation], participant: call.participant, as: account))
        }
    }

    private static let remove = APIOperation(
        "DELETE", path, "Removes a measurement that was typed in; for who typed it in, and operators.", for: .signedIn, query: [account]
    ) { call in
        try await once(call, again: APICall.done) {
            let (known, account) = try await target(call)
            try await call.audit("remove-measurement", "\(known.metric) \(account)")
            // What modules derived of it goes first; they read the person again behind each removal.
            let derived = try await TypedMeasurements(bus: call.bus, participant: call.participant).derived(at: known.time)
            for (source, metrics) in derived + [(known.source, [known.metric])] {
                _ = try await call.bus.timeline(.removeReadings(metrics, participant: call.participant, source: source, at: known.time))
            }
            return APICall.done
        }
    }

    /// Carries out what a browser that was without a connection may send again: once for each `Idempotency-Key`, so that it undoes nothing
    /// that was corrected since.
    private static func once(_ call: APICall, again: HTTPResponse, _ body: () async throws -> HTTPResponse) async throws -> HTTPResponse {
        guard let id = call.request.headers["idempotency-key"] else { return try await body() }
        guard Name.isValid(id) else { throw APIError.malformed("Idempotency-Key is 1 to 64 of A-Z a-z 0-9 _ . -") }
        let accounts = call.dashboard.accounts
        if try await accounts.isDone(request: id, of: call.account.name) { return again }
        let answer = try await body()
        try await accounts.noteDone(request: id, of: call.account.name, now: call.dashboard.now())
        return answer
    }

    private static func mayChange(_ account: String, _ call: APICall) -> Bool {
        let permissions = call.account.permissions
        return account == call.account.name && permissions.contains(.enter) || permissions.contains(.operate)
    }

    /// The measurement that the path names. One that the caller may not change does not exist for it.
    private static func target(_ call: APICall) async throws -> (StoredReading, String) {
        let account = call.request.query["account"] ?? call.account.name
        let metric = try call.path("metric")
        guard mayChange(account, call), Name.isValid(account), Name.isValid(metric), let seconds = Double(decimal: try call.path("time")),
            abs(seconds) < 1e11
        else { throw APIError.notFound }
        let typed = TypedMeasurements(bus: call.bus, participant: call.participant)
        guard let reading = try await typed.reading(metric, at: Timestamp(seconds: seconds), by: account) else { throw APIError.notFound }
        return (reading, account)
    }

    private static func answer(to receipt: Receipt) throws -> HTTPResponse {
        guard receipt.rejected == 0 else {
            throw APIError(status: 422, code: "not-stored", reason: receipt.reasons.first ?? "the measurement was refused")
        }
        return APICall.json(Answer(stored: receipt.stored, duplicates: receipt.duplicates, corrections: receipt.corrections))
    }

    private struct Answer: Encodable {
        let stored: Int
        let duplicates: Int
        let corrections: Int
    }

    private struct Form: Decodable {
        let readings: [Reading]
    }

    /// A reading as the form has it.
    private struct Reading: Decodable {
        let metric: String
        let value: Double?
        let text: String?
        let unit: String?
        let time: Double?

        /// - Parameter index: the reading's position in the form, for messages.
        func observation(at now: Double, index: Int) throws -> Entered {
            guard let definition = MetricCatalogue.standard.definition(named: metric), definition.kind != .waveform else {
                throw APIError.malformed("readings[\(index)].metric is none that can be typed in; GET /metrics lists them")
            }
            guard (value == nil) != (text == nil) else { throw APIError.malformed("readings[\(index)] has a value or a text") }
            guard (text?.count ?? 1) <= 500, (unit?.count ?? 1) <= 40 else { throw APIError.malformed("readings[\(index)] is too long") }
            guard value?.isFinite ?? true, time.map({ $0.isFinite && (0...now + 60).contains($0) }) ?? true else {
                throw APIError.malformed("readings[\(index)].time must be in Unix seconds and not in the future")
            }
            return Entered(metric: metric, time: time ?? now, value: value, text: text, unit: value == nil ? nil : unit ?? definition.unit)
        }
    }

    /// A reading in the native format.
    private struct Entered: Encodable, Sendable {
        let metric: String
        let time: Double
        let value: Double?
        let text: String?
        let unit: String?
    }
}
