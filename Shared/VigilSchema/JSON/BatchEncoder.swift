/// Encodes canonical batches, and single observations as devices send them. `BatchDecoder` reads back exactly what was written.
public enum BatchEncoder {
    /// The batch as one JSON object.
    public static func encode(_ batch: ObservationBatch) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(120 * batch.count + 200)
        writer.raw("{\"schema\":")
        writer.string(ObservationBatch.schema)
        writer.raw(",\"batch\":")
        writer.string(batch.id)
        if let origin = batch.origin {
            writer.raw(",\"origin\":")
            writer.string(origin)
        }
        if let confirmations = batch.confirmations {
            writer.raw(",\"confirm\":")
            writer.string(confirmations)
        }
        if let responseTopic = batch.responseTopic {
            writer.raw(",\"responseTopic\":")
            writer.string(responseTopic)
        }
        writer.raw(",\"groups\":[")
        for (index, group) in batch.groups.enumerated() {
            if index > 0 { writer.bytes.append(0x2C) }
            write(group, to: &writer)
        }
        writer.raw("]}")
        return writer.bytes
    }

    /// One group of a batch, as a JSON object.
    public static func encode(_ group: ObservationGroup) -> [UInt8] {
        var writer = JSONWriter()
        write(group, to: &writer)
        return writer.bytes
    }

    /// Observations as a device sends them: an array.
    public static func encode(_ observations: [Observation]) -> [UInt8] {
        var writer = JSONWriter()
        write(observations, to: &writer)
        return writer.bytes
    }

    /// One observation as a device sends it: an object.
    public static func encode(_ observation: Observation) -> [UInt8] {
        var writer = JSONWriter()
        write(observation, to: &writer)
        return writer.bytes
    }

    private static func write(_ group: ObservationGroup, to writer: inout JSONWriter) {
        writer.raw("{\"participant\":")
        writer.string(group.participant)
        writer.raw(",\"source\":")
        writer.string(group.source)
        if let session = group.session {
            writer.raw(",\"session\":")
            writer.string(session)
        }
        writer.raw(",\"received\":")
        writer.time(group.received)
        writer.raw(",\"observations\":")
        write(group.observations, to: &writer)
        writer.bytes.append(0x7D)
    }

    private static func write(_ observations: [Observation], to writer: inout JSONWriter) {
        writer.bytes.append(0x5B)
        for (index, observation) in observations.enumerated() {
            if index > 0 { writer.bytes.append(0x2C) }
            write(observation, to: &writer)
        }
        writer.bytes.append(0x5D)
    }

    private static func write(_ observation: Observation, to writer: inout JSONWriter) {
        writer.raw("{\"metric\":")
        writer.string(observation.metric)
        writer.raw(",\"time\":")
        writer.time(observation.time)
        if observation.sequence != 0 {
            writer.raw(",\"seq\":")
            writer.integer(Int64(observation.sequence))
        }
        if observation.interval > 0, !observation.content.isBlock {
            writer.raw(",\"period\":")
            writer.integer(Int64(observation.interval))
        }
        write(observation.content, to: &writer)
        if !observation.unit.isEmpty {
            writer.raw(",\"unit\":")
            writer.string(observation.unit)
        }
        if let zone = observation.zone {
            writer.raw(",\"zone\":")
            writer.integer(Int64(zone))
        }
        writer.bytes.append(0x7D)
    }

    private static func write(_ content: Observation.Content, to writer: inout JSONWriter) {
        switch content {
        case .value(let value):
            writer.raw(",\"value\":")
            writer.number(value)
        case .text(let text):
            writer.raw(",\"text\":")
            writer.string(text)
        case .samples(let samples, let period):
            writer.raw(",\"period\":")
            writer.number(period)
            writer.raw(",\"samples\":[")
            for (index, sample) in samples.enumerated() {
                if index > 0 { writer.bytes.append(0x2C) }
                writer.number(sample)
            }
            writer.bytes.append(0x5D)
        }
    }
}

extension Observation.Content {
    fileprivate var isBlock: Bool {
        if case .samples = self { true } else { false }
    }
}
