import Foundation
import Observability
import VigilSchema

/// The operation by which people put in what they measured themselves.
enum MeasurementOperations {
    /// The most readings of one form: a blood pressure has three.
    private static let most = 20

    static let all = [enter]

    private static let enter = APIOperation(
        "POST", "/participants/{participant}/measurements",
        "Stores measurements that somebody typed in; answered after the commit. Sent again with the same times they change nothing, "
            + "with other values they correct.",
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
        try await call.audit("add-measurements", observations.map(\.metric).joined(separator: " "))
        let receipt = try await call.bus.enter(observations, participant: call.participant)
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
