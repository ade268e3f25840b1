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

extension HReaderParser {
    /// The reading of one record.
    struct Reading {
        let normaliser: Normaliser
        let now: Timestamp
        var record = PatientRecord()
        /// Values seen for a description and a time, to find measures that were stored under another's code.
        private var seen: [String: Double] = [:]
        private var occurrences: [String: Int32] = [:]

        init(normaliser: Normaliser, now: Timestamp) {
            self.normaliser = normaliser
            self.now = now
        }

        mutating func profile(_ document: HReaderDocument) {
            record.profile.first = document.first
            record.profile.last = document.last
            record.profile.sex = ["M": .male, "F": .female][document.gender ?? ""]
            guard let seconds = document.birthdate?.number else { return }
            let date = Date(timeIntervalSince1970: seconds)
            record.profile.birthDate = date.formatted(.iso8601.year().month().day())
        }

        mutating func entries(_ items: [HReaderItem]?, _ section: String, _ kind: TimelineEntry.Kind) {
            for (index, item) in (items ?? []).enumerated() {
                record.items += 1
                entry(item, "$.\(section)[\(index)]", kind)
            }
        }

        mutating func vitalSigns(_ items: [HReaderItem]?) {
            for (index, item) in (items ?? []).enumerated() {
                record.items += 1
                vitalSign(item, "$.vital_signs[\(index)]")
            }
        }

        private mutating func entry(_ item: HReaderItem, _ path: String, _ kind: TimelineEntry.Kind) {
            guard let description = description(of: item, path) else { return reject(path, "it has neither a description nor a code") }
            guard let time = time(of: item) else { return reject(path, "it has no time, so it has no place in a timeline") }
            var entry = TimelineEntry(
                id: id(of: item, path), kind: kind, time: time, ends: HReaderParser.Reading.time(item.endTime), description: description,
                value: item.value?.scalar?.number, text: item.value?.scalar?.text, unit: item.value?.units, codes: item.codes,
                detail: detail(of: item, besides: description))
            if let ends = entry.ends, ends < time {
                note(path, "it ends before it begins; the end was left out")
                entry.ends = nil
            }
            if entry.value != nil, entry.unit == nil { note(path, "the number has no unit") }
            checkForTwin(entry, path)
            do {
                try entry.validate()
                record.entries.append(entry)
            } catch {
                reject(path, error.reason)
            }
        }

        /// Two numbers under one description and code at one time: one of them is probably another measure.
        private mutating func checkForTwin(_ entry: TimelineEntry, _ path: String) {
            guard let value = entry.value else { return }
            let key = "\(entry.kind) \(entry.description) \(entry.time.microseconds)"
            if let other = seen[key], other != value {
                note(path, "another value stands under the same name, code and time; one of them may be a different measure")
            }
            seen[key] = value
        }

        private mutating func vitalSign(_ item: HReaderItem, _ path: String) {
            guard let time = time(of: item) else { return reject(path, "it has no time, so it has no place in a timeline") }
            guard let value = item.value?.scalar?.number else { return reject(path + ".value", "it has no number") }
            let byCode = VitalSignCodes.metric(codes: item.codes ?? [:])
            let byName = VitalSignCodes.metric(description: item.description ?? "")
            if let byCode, let byName, byCode != byName {
                return reject(path + ".codes", "its code says \(byCode), its description \(byName)")
            }
            guard let metric = byCode ?? byName else { return reject(path + ".codes", "neither its code nor its description is known") }
            if item.value?.units == nil, normaliser.catalogue.definition(named: metric)?.unit != "1" {
                note(path + ".value.units", "it has no unit; the usual one of \(metric) was taken")
            }
            let key = "\(metric) \(time.microseconds)"
            let observation = Observation(
                metric: metric, time: time, sequence: occurrences[key, default: 0], content: .value(value), unit: item.value?.units ?? "")
            occurrences[key, default: 0] += 1
            add(observation, path)
        }

        private mutating func add(_ observation: Observation, _ path: String) {
            do {
                let located = ParsedObservation(observation, offsets: .init(element: 0), index: nil)
                record.observations.append(try normaliser.normalise(located, now: now))
            } catch {
                reject(path, error.reason)
            }
        }

        private mutating func description(of item: HReaderItem, _ path: String) -> String? {
            if let description = item.description, !description.isEmpty { return description }
            guard let code = item.codes?.sorted(by: { $0.key < $1.key }).first, let first = code.value.first else { return nil }
            note(path, "it has no description; its code was taken for one")
            return "\(code.key) \(first)"
        }

        private func detail(of item: HReaderItem, besides description: String) -> String? {
            let parts = [item.freeText, item.reaction, item.severity].compactMap { $0 }.filter { $0 != description && !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: "; ")
        }

        private func id(of item: HReaderItem, _ path: String) -> String {
            if let id = item.id, Name.isValid(id) { return id }
            // Stable from one reading of the record to the next, which a random one would not be.
            return "hreader" + path.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
        }

        private func time(of item: HReaderItem) -> Timestamp? {
            HReaderParser.Reading.time(item.time) ?? HReaderParser.Reading.time(item.startTime)
        }

        private static func time(_ scalar: LenientScalar?) -> Timestamp? {
            if let seconds = scalar?.number, abs(seconds) <= 253_402_300_800 { return Timestamp(seconds: seconds) }
            guard let text = scalar?.text, let date = try? Date(text, strategy: .iso8601) else { return nil }
            return Timestamp(seconds: date.timeIntervalSince1970)
        }

        private mutating func reject(_ path: String, _ reason: String) {
            record.problems.append(.init(path: path, reason: reason, isRejected: true))
        }

        private mutating func note(_ path: String, _ reason: String) {
            record.problems.append(.init(path: path, reason: reason, isRejected: false))
        }
    }
}
