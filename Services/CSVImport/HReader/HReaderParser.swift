import Foundation
package import VigilSchema

/// Parses hReader's patient records, with unusual times, numbers in strings, null units, and measures under a wrong
/// code.
///
/// Vital signs become observations; everything else becomes entries. What has no time or is implausible is left out and
/// reported; what is merely unusual is imported and reported. Reading the same record again gives the same ids and
/// identities.
package struct HReaderParser: Sendable {
    private let normaliser: Normaliser
    private let now: Timestamp

    /// - Parameter now: the time beyond which times are refused.
    package init(normaliser: Normaliser = Normaliser(), now: Timestamp) {
        self.normaliser = normaliser
        self.now = now
    }

    /// Reads a record.
    /// - Throws: `PayloadError` if it is no such record.
    package func read(_ bytes: [UInt8]) throws(PayloadError) -> PatientRecord {
        let root: JSONNode
        do {
            var scanner = JSONScanner(MemorySource(bytes), name: "the record")
            root = try scanner.value()
        } catch {
            throw PayloadError(.malformed, "the file is no hReader patient record: \(error.message)")
        }
        guard let document = HReaderDocument(root), document.isRecord else {
            throw PayloadError(.malformed, "the file is no hReader patient record: none of its sections is there")
        }
        var reading = Run(normaliser: normaliser, now: now)
        reading.profile(document)
        let kinds: [(String, TimelineEntry.Kind)] = [
            ("allergies", .allergy), ("conditions", .condition), ("encounters", .encounter), ("immunizations", .immunization),
            ("medications", .medication), ("procedures", .procedure), ("social_history", .note), ("results", .result),
        ]
        for (section, kind) in kinds { reading.entries(document.items(section), section, kind) }
        reading.vitalSigns(document.items("vital_signs"))
        reading.placeUndated()
        return reading.record
    }
}

extension HReaderParser {
    /// The reading of one record.
    struct Run {
        let normaliser: Normaliser
        let now: Timestamp
        var record = PatientRecord()
        /// The values of a description and time, to find measures under another's code.
        private var seen: [String: Double] = [:]
        private var occurrences: [String: Int32] = [:]
        /// The ids of entries, and the record's newest time.
        private var ids: Set<String> = []
        private var newest: Timestamp?
        /// Entries without a time, with their places.
        private var undated: [(entry: TimelineEntry, path: String)] = []

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

        mutating func entries(_ items: [JSONNode]?, _ section: String, _ kind: TimelineEntry.Kind) {
            forEach(items, section) { reading, item, path in reading.entry(item, path, kind) }
        }

        mutating func vitalSigns(_ items: [JSONNode]?) {
            forEach(items, "vital_signs") { reading, item, path in reading.vitalSign(item, path) }
        }

        private mutating func forEach(_ items: [JSONNode]?, _ section: String, _ body: (inout Run, HReaderItem, String) -> Void) {
            guard let items else {
                record.items += 1
                return reject("$.\(section)", "it is no list")
            }
            for (index, node) in items.enumerated() {
                record.items += 1
                let path = "$.\(section)[\(index)]"
                guard let item = HReaderItem(node) else {
                    reject(path, "it is no object")
                    continue
                }
                for name in item.odd { note("\(path).\(name)", "it has an unexpected type; the rest of the item was taken") }
                body(&self, item, path)
            }
        }

        /// Adds entries without a time at the record's newest time, when they were true.
        mutating func placeUndated() {
            for (entry, path) in undated {
                guard let newest else {
                    reject(path, "neither it nor anything else in the record has a time")
                    continue
                }
                var entry = entry
                entry.time = newest
                entry.detail = [entry.detail, "when it began is not known; it was known by this time"].compactMap { $0 }.joined(
                    separator: "; ")
                note(path, "it has no time; kept at the record's newest, and said so in its detail")
                keep(entry, path)
            }
        }

        private mutating func keep(_ entry: TimelineEntry, _ path: String) {
            do {
                try entry.validate()
                record.entries.append(entry)
            } catch {
                reject(path, error.reason)
            }
        }

        private mutating func entry(_ item: HReaderItem, _ path: String, _ kind: TimelineEntry.Kind) {
            guard let description = description(of: item, path) else { return reject(path, "it has neither a description nor a code") }
            let known = time(of: item)
            let time = known ?? Timestamp(microseconds: 0)
            var entry = TimelineEntry(
                id: id(of: item, path, kind), kind: kind, time: time, ends: HReaderParser.Run.time(item.endTime),
                description: description,
                value: item.scalar?.number, text: item.scalar?.text, unit: item.units, codes: item.codes,
                detail: detail(of: item, besides: description))
            guard known != nil else {
                // A result without a time is useless; an illness, an allergy or a medicine is not.
                guard kind != .result, kind != .encounter else { return reject(path, "it has no time, so it has no place in a timeline") }
                entry.ends = nil
                return undated.append((entry, path))
            }
            newest = max(newest ?? time, time)
            if let ends = entry.ends, ends < time {
                note(path, "it ends before it begins; the end was left out")
                entry.ends = nil
            }
            if entry.value != nil, entry.unit == nil { note(path, "the number has no unit") }
            checkForTwin(entry, path)
            keep(entry, path)
        }

        /// Two numbers with one description and code at one time: one of them is probably another measure.
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
            newest = max(newest ?? time, time)
            guard let value = item.scalar?.number else { return reject(path + ".value", "it has no number") }
            let byCode = PublicCodes.metric(codes: item.codes ?? [:])
            let byName = PublicCodes.metric(description: item.description ?? "")
            if let byCode, let byName, byCode != byName {
                return reject(path + ".codes", "its code says \(byCode), its description \(byName)")
            }
            guard let metric = byCode ?? byName else { return reject(path + ".codes", "neither its code nor its description is known") }
            if item.units == nil, normaliser.catalogue.definition(named: metric)?.unit != "1" {
                note(path + ".value.units", "it has no unit; the usual one of \(metric) was taken")
            }
            let key = "\(metric) \(time.microseconds)"
            let observation = Observation(
                metric: metric, time: time, sequence: occurrences[key, default: 0], content: .value(value), unit: item.units ?? "")
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

        /// The item's own id. If another item has it, because records number each section anew, the kind is put before
        /// it, so that no entry replaces another.
        private mutating func id(of item: HReaderItem, _ path: String, _ kind: TimelineEntry.Kind) -> String {
            if let id = item.id, Name.isValid(id), ids.insert(id).inserted { return id }
            if let id = item.id, Name.isValid("\(kind.rawValue)-\(id)"), ids.insert("\(kind.rawValue)-\(id)").inserted {
                note("\(path)._id", "another item has the same id; both were kept")
                return "\(kind.rawValue)-\(id)"
            }
            // Stable between readings of the record, unlike a random one.
            return "hreader" + path.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
        }

        private func time(of item: HReaderItem) -> Timestamp? {
            HReaderParser.Run.time(item.time) ?? HReaderParser.Run.time(item.startTime)
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
