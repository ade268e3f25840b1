package import VigilSchema

/// The document of an e-Health server, `{"Sensors": {"ECG": 0.4, "Pulse": 72, …}}`, and of a vehicle's, `{"speed": 63}`.
///
/// It has no time: its readings are stamped with the time of receipt. What the names become: `SensorNames`. Values are numbers
/// or texts that hold one; null, and what the shield's library returns for a missing sensor, is passed over.
package struct SensorsFormat: PayloadFormat {
    package let name = "e-Health sensors JSON"
    package let contentTypes = ["application/vnd.e-health.sensors+json"]
    private let names: SensorNames
    private let requiresEnvelope: Bool

    /// - Parameter requiresEnvelope: False to take a plain object of names and values as well, as vehicles' servers send.
    package init(names: SensorNames = SensorNames(), requiresEnvelope: Bool = true) {
        self.names = names
        self.requiresEnvelope = requiresEnvelope
    }

    package func recognises(firstBytes: Span<UInt8>) -> Bool { JSONShape.of(firstBytes) == .sensors }

    package func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings {
        let document = try JSONTree.parse(bytes)
        guard let (path, members) = SensorsDocument.sensors(document, requiresEnvelope: requiresEnvelope) else {
            throw PayloadError(.missing, "an object with Sensors, itself an object of names and values, is expected", offset: 0)
        }
        var readings = DecodedReadings()
        for member in members {
            do throws(PayloadError) {
                guard let reading = try reading(member, path: "\(path).\(member.key)", bytes, received) else { continue }
                readings.readings.append(reading)
            } catch {
                readings.refusals.append(error)
            }
        }
        return readings
    }

    private func reading(
        _ member: JSONTree.Member, path: String, _ bytes: Span<UInt8>, _ received: Timestamp
    ) throws(PayloadError) -> ParsedObservation? {
        let metric = names.metric(of: member.key)
        let content: Observation.Content
        switch member.value.content {
        case .null: return nil
        case .boolean(let isTrue): content = .value(isTrue ? 1 : 0)
        case .number(let number):
            do { content = .value(try number.double(bytes)) } catch { throw error.at(path) }
        case .string(let text): content = .value(try number(in: text, at: member.value.offset, path))
        case .object, .array: throw PayloadError(.wrongType, "a number is expected", offset: member.value.offset, path: path)
        }
        if case .value(let value) = content, SensorAbsence.isAbsent(value, metric: metric) { return nil }
        return ParsedObservation(
            Observation(metric: metric, time: received, content: content, unit: ""), offsets: .init(element: member.value.offset),
            index: nil, notation: .place(path))
    }

    private func number(in text: String, at offset: Int, _ path: String) throws(PayloadError) -> Double {
        let digits = Array(text.utf8)
        guard let value = PlainNumber.read(digits.span, digits.indices) else {
            throw PayloadError(.wrongType, "a number is expected", offset: offset, path: path)
        }
        return value
    }
}
