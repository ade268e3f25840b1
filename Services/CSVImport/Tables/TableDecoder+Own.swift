import Foundation
import VigilSchema

/// Rows of Vigil's own CSV exports: everything in them is taken as it was kept.
extension TableDecoder {
    /// A Boolean value that indicates whether the table is one of Vigil's own exports.
    var isOwn: Bool { plan.profile.name == BuiltIn.vigilExport.name }

    /// An observation, with its number, its interval, its zone and the time of its receipt.
    mutating func decodeOwn(_ long: LongPlan, _ reader: CSVReader, _ time: ParsedTime, _ block: inout ReadingBlock) {
        let cell = { (place: Int?) -> String in
            TableDecoder.bare(place.flatMap { $0 < reader.fieldCount ? reader.text($0) : nil } ?? "")
        }
        let metric = cell(long.metric).trimmed
        guard Name.isValid(metric) else { return refuseRow(reader, "the row does not say what it measures", at: long.metric, into: &block) }
        let definition = MetricCatalogue.standard.definition(named: metric)
        guard let content = ownContent(long, cell) else {
            return refuseRow(
                reader, "the row has neither a number nor a text nor samples with a period", at: long.values.first, into: &block)
        }
        if case .value(let number) = content, let plausible = definition?.plausible, !plausible.contains(number) {
            let range = "\(plausible.lowerBound.short)…\(plausible.upperBound.short) \(definition?.unit ?? "")"
            return refuseRow(reader, "\(metric) lies outside \(range)", at: long.values.first, into: &block)
        }
        var observation = Observation(
            metric: metric, time: Timestamp(microseconds: time.microseconds), sequence: Int32(cell(long.sequence)) ?? 0, content: content,
            unit: cell(long.unit).trimmed, zone: offset(reader).flatMap { Int16(exactly: $0) })
        if observation.unit.isEmpty { observation.unit = definition?.unit ?? "1" }
        if !content.isBlock, let seconds = Double(decimal: cell(long.period)), seconds >= 1, seconds <= Double(Observation.longestInterval)
        {
            observation.interval = Int32(seconds)
        }
        let names = subjects.all[subject]
        let received = Double(decimal: cell(long.received)).map { min(Timestamp(seconds: $0), now) }
        account.accepted += 1
        block.add(
            observation,
            of: ObservationGroup(
                participant: names.participant, source: names.source, session: names.session, received: received ?? now, observations: []))
    }

    private func ownContent(_ long: LongPlan, _ cell: (Int?) -> String) -> Observation.Content? {
        let value = cell(long.values.first).trimmed, samples = cell(long.samples), text = cell(long.text)
        if !samples.isEmpty {
            guard let values = CellReader(number: number).samples(samples), let period = Double(decimal: cell(long.period)),
                (1e-6...86_400).contains(period)
            else { return nil }
            return .samples(values, period: period)
        }
        if value.isEmpty { return text.utf8.count <= Observation.longestText ? .text(text) : nil }
        return Double(decimal: value).map { .value($0) }
    }

    /// Takes a row that is no observation, and says whether it was one.
    mutating func decodeRecord(_ place: Int, _ reader: CSVReader, into block: inout ReadingBlock) throws -> Bool {
        guard place < reader.fieldCount, !reader.field(place).isEmpty else { return false }
        if asks { return true }
        let participant = TableDecoder.name(reader, plan.participantColumn) ?? plan.names.participant ?? ""
        guard Name.isValid(participant) else {
            refuseRow(reader, "the participant is not 1 to 64 of A-Z a-z 0-9 _ . -", at: plan.participantColumn, into: &block)
            return true
        }
        do {
            let detail = plan.long?.detail.flatMap { $0 < reader.fieldCount ? reader.text($0) : nil } ?? ""
            block.records.append((participant, try TimelineRecord(json: detail, of: participant)))
            account.accepted += 1
        } catch {
            refuseRow(reader, error.message, at: place, into: &block)
        }
        return true
    }

    /// The text without the apostrophe that Vigil's export puts before what a spreadsheet would take for a formula.
    static func bare(_ text: String) -> String {
        // By bytes: `\r\n` would be one character.
        guard text.hasPrefix("'"), let next = text.utf8.first(where: { $0 != UInt8(ascii: "'") }), "=+-@\t\r".utf8.contains(next) else {
            return text
        }
        return String(text.dropFirst())
    }
}

extension Observation.Content {
    /// A Boolean value that indicates whether it is a block of samples.
    var isBlock: Bool {
        if case .samples = self { true } else { false }
    }
}

extension TimelineRecord {
    /// Reads a record as an export has it.
    init(json: String, of participant: String) throws(ImportError) {
        let record: TimelineRecord
        do {
            record = try JSONDecoder().decode(TimelineRecord.self, from: Data(json.utf8)).moved(to: participant)
        } catch {
            throw ImportError(.format, "the record is none of Vigil's, or is damaged")
        }
        do {
            try record.validate()
        } catch {
            throw ImportError(.format, "the \(record.kind) is not as it should be: \(error.reason)")
        }
        self = record
    }
}
