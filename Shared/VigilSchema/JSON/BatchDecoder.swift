/// Decodes a canonical batch from the internal bus. Strict: the suite wrote it, so anything odd refuses the batch.
///
/// Threading: a value, used from any thread.
public struct BatchDecoder: Sendable {
    private let catalogue: MetricCatalogue
    private let schemas: Set<String>

    /// Makes a decoder.
    /// - Parameter schemas: The schema versions that are read. During an upgrade two versions run side by side: every service first reads
    ///   both, and only then one of them begins to write the newer.
    public init(catalogue: MetricCatalogue = .standard, schemas: Set<String> = ObservationBatch.readableSchemas) {
        self.catalogue = catalogue
        self.schemas = schemas
    }

    /// Decodes a payload.
    /// - Throws: `PayloadError` with the byte offset and the path of what is wrong.
    public func decode(_ bytes: Span<UInt8>) throws(PayloadError) -> ObservationBatch {
        try JSONText.check(bytes)
        var parser = ObservationParser(
            catalogue: catalogue, cursor: JSONCursor(offset: 0), maximumSamples: ReadingDecoder.maximumSamples)
        var path = BatchPath()
        do {
            let batch = try document(bytes, &parser, &path)
            try parser.cursor.expectEnd(bytes)
            return batch
        } catch {
            throw error.at(path.description)
        }
    }

    private func document(
        _ bytes: Span<UInt8>, _ parser: inout ObservationParser, _ path: inout BatchPath
    ) throws(JSONError) -> ObservationBatch {
        try parser.cursor.expect("{", "a batch must be an object", bytes)
        var schema: String?
        var batch = ObservationBatch(id: "", groups: [])
        repeat {
            let key = try parser.cursor.key(bytes)
            if key.equals("schema", bytes) {
                schema = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("batch", bytes) {
                batch.id = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("origin", bytes) {
                batch.origin = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("confirm", bytes) {
                batch.confirmations = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("responseTopic", bytes) {
                batch.responseTopic = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("groups", bytes) {
                batch.groups = try groups(bytes, &parser, &path)
            } else {
                try parser.cursor.skipValue(bytes)
            }
        } while try parser.cursor.another(closing: "}", bytes)
        guard let schema, schemas.contains(schema) else {
            throw JSONError(.unsupported, "the schema is none that is read here, such as vigil/1", at: 0)
        }
        guard !batch.id.isEmpty else { throw JSONError(.missing, "the batch's id is missing", at: 0) }
        guard !batch.groups.isEmpty else { throw JSONError(.missing, "the batch has no groups", at: 0) }
        return batch
    }

    private func groups(
        _ bytes: Span<UInt8>, _ parser: inout ObservationParser, _ path: inout BatchPath
    ) throws(JSONError) -> [ObservationGroup] {
        try parser.cursor.expect("[", "groups must be an array", bytes)
        var groups: [ObservationGroup] = []
        if parser.cursor.take("]", bytes) { return groups }
        repeat {
            path.group = groups.count
            groups.append(try group(bytes, &parser, &path))
        } while try parser.cursor.another(closing: "]", bytes)
        path.group = nil
        return groups
    }

    private func group(
        _ bytes: Span<UInt8>, _ parser: inout ObservationParser, _ path: inout BatchPath
    ) throws(JSONError) -> ObservationGroup {
        try parser.cursor.expect("{", "a group must be an object", bytes)
        let start = parser.cursor.offset - 1
        var group = ObservationGroup(participant: "", source: "", received: Timestamp(microseconds: .min), observations: [])
        repeat {
            let key = try parser.cursor.key(bytes)
            if key.equals("participant", bytes) {
                group.participant = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("source", bytes) {
                group.source = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("session", bytes) {
                group.session = try parser.cursor.string(bytes).text(bytes)
            } else if key.equals("received", bytes) {
                _ = parser.cursor.peek(bytes)
                group.received.microseconds = try JSONNumber.scan(bytes, &parser.cursor.offset).microseconds()
            } else if key.equals("observations", bytes) {
                group.observations = try observations(bytes, &parser, &path)
            } else {
                try parser.cursor.skipValue(bytes)
            }
        } while try parser.cursor.another(closing: "}", bytes)
        guard Name.isValid(group.participant) else { throw JSONError(.missing, "the participant is missing or no name", at: start) }
        guard !group.source.isEmpty, group.source.utf8.count <= 200 else {
            throw JSONError(.missing, "the source is missing or too long", at: start)
        }
        guard group.received.microseconds != .min else { throw JSONError(.missing, "received is missing", at: start) }
        return group
    }

    private func observations(
        _ bytes: Span<UInt8>, _ parser: inout ObservationParser, _ path: inout BatchPath
    ) throws(JSONError) -> [Observation] {
        try parser.cursor.expect("[", "observations must be an array", bytes)
        if parser.cursor.take("]", bytes) { return [] }
        var observations: [Observation] = []
        repeat {
            path.observation = observations.count
            if let refused = try parser.parseTrusted(bytes, into: &observations) {
                path.field = refused.field?.key ?? ""
                throw refused.error
            }
        } while try parser.cursor.another(closing: "]", bytes)
        path.observation = nil
        return observations
    }
}
