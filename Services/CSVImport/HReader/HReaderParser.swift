import Foundation
package import VigilSchema

/// Reads hReader's patient records: entries with odd times, numbers in strings, units that are null, and measures under a wrong code.
///
/// Vital signs become observations; everything else becomes entries. What cannot be placed in time or believed is left out and reported,
/// what is merely odd is kept and reported. Reading the same record again gives the same ids and identities.
package struct HReaderParser: Sendable {
    private let normaliser: Normaliser
    private let now: Timestamp

    /// - Parameter now: against which future times are refused.
    package init(normaliser: Normaliser = Normaliser(), now: Timestamp) {
        self.normaliser = normaliser
        self.now = now
    }

    /// Reads a record.
    /// - Throws: `PayloadError` where it is no such record at all.
    package func read(_ bytes: [UInt8]) throws(PayloadError) -> PatientRecord {
        let document: HReaderDocument
        do {
            document = try JSONDecoder().decode(HReaderDocument.self, from: Data(bytes))
        } catch {
            throw PayloadError(.malformed, "the file is no hReader patient record: \(HReaderParser.words(error))")
        }
        var reading = Reading(normaliser: normaliser, now: now)
        reading.profile(document)
        reading.entries(document.allergies, "allergies", .allergy)
        reading.entries(document.conditions, "conditions", .condition)
        reading.entries(document.encounters, "encounters", .encounter)
        reading.entries(document.immunizations, "immunizations", .immunization)
        reading.entries(document.medications, "medications", .medication)
        reading.entries(document.procedures, "procedures", .procedure)
        reading.entries(document.socialHistory, "social_history", .note)
        reading.entries(document.results, "results", .result)
        reading.vitalSigns(document.vitalSigns)
        return reading.record
    }

    private static func words(_ error: any Error) -> String {
        guard case .typeMismatch(_, let context) = error as? DecodingError else { return "it cannot be read as JSON" }
        return "an unexpected type at " + context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}
