import VigilSchema

/// Reads Vigil's own JSON export: a list of groups as on the bus, and behind them what is kept besides observations.
struct VigilJSONReader: ReadingReader {
    private static let blockSize = 1024

    private var scanner: JSONScanner
    private let options: ImportOptions
    private let now: Timestamp
    private var isOpen = false

    private(set) var account = CellCounts()

    init(_ source: any ByteSource, path: String, options: ImportOptions, now: Timestamp) {
        scanner = JSONScanner(source, name: path)
        self.options = options
        self.now = now
    }

    var subjects: [Subjects.Subject] { [] }
    var metrics: [MetricPlan] { [] }
    var offset: Int { scanner.offset }

    mutating func fill(_ block: inout ReadingBlock) throws -> Bool {
        block.removeAll()
        if !isOpen {
            try scanner.need(UInt8(ascii: "["))
            isOpen = true
        }
        while block.count < VigilJSONReader.blockSize, block.rejects.count < VigilJSONReader.blockSize {
            if try scanner.take(UInt8(ascii: "]")) {
                guard try scanner.peek() == nil else { throw scanner.malformed("something follows the list") }
                return false
            }
            take(try scanner.value(), &block)
            guard try scanner.take(UInt8(ascii: ",")) || scanner.peek() == UInt8(ascii: "]") else {
                throw scanner.malformed("a comma is missing, or it is cut off")
            }
        }
        return true
    }

    private mutating func take(_ element: JSONNode, _ block: inout ReadingBlock) {
        account.rows += 1
        let participant = options.participant ?? element["participant"]?.text ?? ""
        guard Name.isValid(participant) else {
            return refuse(element, "the participant is not 1 to 64 of A-Z a-z 0-9 _ . -", &block)
        }
        if let record = element["record"] {
            do {
                block.records.append((participant, try TimelineRecord(json: record.json, of: participant)))
                account.accepted += 1
            } catch {
                refuse(element, error.message, &block)
            }
            return
        }
        guard let observations = element["observations"] else {
            return refuse(element, "it holds neither observations nor a record", &block)
        }
        let head = ObservationGroup(
            participant: participant, source: options.source ?? element["source"]?.text ?? "import",
            session: options.session ?? element["session"]?.text,
            received: element["received"]?.number.map { min(Timestamp(seconds: $0), now) } ?? now, observations: [])
        for node in observations.elements {
            do throws(ImportError) {
                block.add(try Self.observation(node), of: head)
                account.accepted += 1
            } catch {
                refuse(node, error.message, &block)
            }
        }
    }

    private static func observation(_ node: JSONNode) throws(ImportError) -> Observation {
        guard let metric = node["metric"]?.text, Name.isValid(metric) else {
            throw ImportError(.format, "it does not say what it measures")
        }
        guard let seconds = node["time"]?.number, abs(seconds) <= 253_402_300_800 else {
            throw ImportError(.format, "it has no time that can be read")
        }
        let definition = MetricCatalogue.standard.definition(named: metric)
        let content: Observation.Content
        if let samples = node["samples"] {
            let values = samples.elements.compactMap(\.number)
            guard !values.isEmpty, values.count == samples.elements.count, let period = node["period"]?.number,
                (1e-6...86_400).contains(period)
            else { throw ImportError(.format, "these are not samples with a period between a microsecond and a day") }
            content = .samples(values, period: period)
        } else if let number = node["value"]?.number {
            if let plausible = definition?.plausible, !plausible.contains(number) {
                throw ImportError(
                    .format, "\(metric) lies outside \(plausible.lowerBound.short)…\(plausible.upperBound.short) \(definition?.unit ?? "")")
            }
            content = .value(number)
        } else if let text = node["text"]?.text, text.utf8.count <= Observation.longestText {
            content = .text(text)
        } else {
            throw ImportError(.format, "it has neither a number nor a text nor samples")
        }
        var observation = Observation(
            metric: metric, time: Timestamp(seconds: seconds), sequence: node["seq"]?.number.flatMap { Int32(exactly: $0) } ?? 0,
            content: content, unit: node["unit"]?.text ?? definition?.unit ?? "1",
            zone: node["zone"]?.number.flatMap { Int16(exactly: $0) })
        if !content.isBlock, let period = node["period"]?.number, period >= 1, period <= Double(Observation.longestInterval) {
            observation.interval = Int32(period)
        }
        return observation
    }

    private mutating func refuse(_ node: JSONNode, _ reason: String, _ block: inout ReadingBlock) {
        account.rejected += 1
        block.rejects.append(
            RejectedCell(
                line: scanner.line, column: 1, offset: scanner.offset, field: node["metric"]?.text, reason: reason,
                original: node.json.cut(characters: 4000), sequence: 0, cells: 1))
    }
}
