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
        readings.isStamped = true
        for member in members {
            do throws(PayloadError) {
                guard let reading = try reading(member, path: "\(path).\(member.key)", bytes, received) else { continue }
                readings.readings.append(reading)
            } catch {
                readings.refusals.append(error)
                guard case .string(let word) = member.value.content, ExtremeReading.isWord(word), readings.unreadable.count < 20 else {
                    continue
                }
                let metric = names.metric(of: member.key)
                readings.unreadable.append(Observation(metric: metric, time: received, content: .text(word), unit: ""))
            }
        }
        readings.refuseHalfPressures()
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

/// The envelope of an e-Health server's document.
enum SensorsDocument {
    /// Returns whether the key is `Sensors`, in any case.
    static func isEnvelope(_ key: RawString, _ bytes: Span<UInt8>) -> Bool {
        let word: [UInt8] = Array("sensors".utf8)
        guard !key.isEscaped, key.range.count == word.count else { return false }
        return word.indices.allSatisfy { bytes[key.range.lowerBound + $0] | 0x20 == word[$0] }
    }

    /// The sensors in a document: what stands under `Sensors`, else the document itself where that is allowed.
    static func sensors(_ document: JSONTree, requiresEnvelope: Bool) -> (path: String, members: [JSONTree.Member])? {
        guard case .object(let members) = document.content else { return nil }
        if let envelope = members.first(where: { $0.key.lowercased() == "sensors" }) {
            guard case .object(let sensors) = envelope.value.content else { return nil }
            return ("$.\(envelope.key)", sensors)
        }
        return requiresEnvelope ? nil : ("$", members)
    }
}

/// The way the names that e-Health servers and vehicles use become metrics: whatever their case, spaces and punctuation.
package struct SensorNames: Sendable, Equatable {
    /// Metrics by name, the names without case and punctuation.
    private var metrics: [String: String]

    /// The usual names, and those of the catalogue.
    /// - Parameter additional: An operator's own, by name; they come before the usual ones.
    package init(catalogue: MetricCatalogue = .standard, additional: [String: String] = [:]) {
        metrics = Dictionary(
            catalogue.definitions.map { (SensorNames.bare($0.name), $0.name) }, uniquingKeysWith: { first, _ in first })
        metrics.merge(SensorNames.usual) { _, usual in usual }
        metrics.merge(additional.map { (SensorNames.bare($0.key), $0.value) }) { _, own in own }
    }

    /// The metric; an unknown name as it is.
    func metric(of name: String) -> String {
        metrics[SensorNames.bare(name)] ?? MetricCatalogue.standard.definition(for: name)?.name ?? name
    }

    /// Letters and digits alone, in lower case.
    private static func bare(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    private static let usual: [String: String] = [
        "pulse": "heart-rate", "bpm": "heart-rate", "hr": "heart-rate", "beatsperminute": "heart-rate",
        "temperature": "body-temperature", "temp": "body-temperature",
        "gsr": "skin-conductance", "eda": "skin-conductance", "conductance": "skin-conductance",
        "galvanicskinresponse": "skin-conductance", "resistance": "skin-resistance",
        "spo2": "oxygen-saturation", "oxygen": "oxygen-saturation", "oxygeninblood": "oxygen-saturation",
        "systolic": "systolic-pressure", "bloodpressuresystolic": "systolic-pressure",
        "diastolic": "diastolic-pressure", "bloodpressurediastolic": "diastolic-pressure",
        "glucose": "blood-glucose", "glucometer": "blood-glucose", "electrocardiogram": "ecg", "breathing": "airflow",
        "respiration": "respiration-rate", "breathrate": "respiration-rate", "weight": "body-weight", "bmi": "body-mass-index",
        "position": "body-position", "patientposition": "body-position", "speed": "vehicle-speed", "vehiclespeedkmh": "vehicle-speed",
    ]
}

/// The value that the e-Health shield's library returns for a sensor that is not connected.
///
/// Its functions return 0 where nothing was measured yet, and −1 for conductance and resistance without contact (eHealth
/// library 2.4, `getSkinConductance`). None of these metrics can be 0 in a living wearer, so 0 means "no sensor".
enum SensorAbsence {
    /// Returns whether the value says that there is no sensor rather than what it measured.
    static func isAbsent(_ value: Double, metric: String) -> Bool {
        switch metric {
        case "heart-rate", "oxygen-saturation", "systolic-pressure", "diastolic-pressure", "blood-glucose", "body-temperature",
            "body-position", "respiration-rate", "body-weight", "body-mass-index":
            value == 0
        case "skin-conductance", "skin-resistance": value == -1
        default: false
        }
    }
}

/// Decimal numbers in plain text.
enum PlainNumber {
    /// The finite number that the bytes hold, blanks around it left aside; nil where they hold none.
    static func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Double? {
        let text = String(decoding: bytes, range)
        var word = text.drop { $0 == " " }
        while word.last == " " { word.removeLast() }
        return Double(decimal: word)
    }
}
