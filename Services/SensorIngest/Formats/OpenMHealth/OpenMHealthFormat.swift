package import VigilSchema

/// Open mHealth data points: a header that names the body's schema, and the body; one of them or an array.
///
/// Schemas: `OpenMHealthSchema`. A statistic other than a mean or a median is no reading and is refused.
package struct OpenMHealthFormat: PayloadFormat {
    package let name = "Open mHealth data points"
    package let contentTypes = ["application/vnd.openmhealth+json", "application/vnd.omh.data-point+json"]

    package init() {}

    package func recognises(firstBytes: Span<UInt8>) -> Bool { JSONShape.of(firstBytes) == .openMHealth }

    package func decode(_ bytes: Span<UInt8>, received: Timestamp) throws(PayloadError) -> DecodedReadings {
        let document = try JSONTree.parse(bytes)
        var readings = DecodedReadings()
        guard case .array(let points) = document.content else {
            add(document, path: "$", bytes, to: &readings)
            return readings
        }
        for (index, point) in points.enumerated() { add(point, path: "$[\(index)]", bytes, to: &readings) }
        return readings
    }

    private func add(_ node: JSONTree, path: String, _ bytes: Span<UInt8>, to readings: inout DecodedReadings) {
        do throws(PayloadError) {
            let point = try OpenMHealthPoint(node, path: path)
            readings.readings += try point.readings(bytes)
        } catch {
            readings.refusals.append(error)
        }
    }
}

/// What Open mHealth schemas say of a measure, by schema name (https://w3id.org/openmhealth/schemas).
struct OpenMHealthSchema {
    /// One measured value in a body.
    struct Measure {
        /// The body's key.
        let key: String
        /// What it becomes.
        let metric: String
        /// A Boolean value that indicates whether a data point without it is refused.
        let isRequired: Bool
        /// The unit of a bare number, which early versions allow; nil where the value must bring its unit.
        var bareUnit: String?
    }

    let measures: [Measure]
    /// The major versions whose bodies look as described.
    let versions: ClosedRange<Int>

    /// By schema name.
    static let known: [String: OpenMHealthSchema] = [
        "heart-rate": .init("heart_rate", "heart-rate", versions: 1...2),
        "blood-pressure": .init(
            measures: [
                Measure(key: "systolic_blood_pressure", metric: "systolic-pressure", isRequired: true),
                Measure(key: "diastolic_blood_pressure", metric: "diastolic-pressure", isRequired: true),
            ], versions: 1...4),
        "body-temperature": .init("body_temperature", "body-temperature", versions: 1...4),
        "oxygen-saturation": .init(
            measures: [
                Measure(key: "oxygen_saturation", metric: "oxygen-saturation", isRequired: true),
                Measure(key: "supplemental_oxygen_flow_rate", metric: "supplemental-oxygen", isRequired: false),
            ], versions: 1...2),
        "respiratory-rate": .init("respiratory_rate", "respiration-rate", versions: 1...2),
        "blood-glucose": .init("blood_glucose", "blood-glucose", versions: 1...4),
        "body-weight": .init("body_weight", "body-weight", versions: 1...3),
        "step-count": .init("step_count", "steps", versions: 1...3, bareUnit: "{steps}"),
    ]

    private init(measures: [Measure], versions: ClosedRange<Int>) {
        self.measures = measures
        self.versions = versions
    }

    private init(_ key: String, _ metric: String, versions: ClosedRange<Int>, bareUnit: String? = nil) {
        self.init(
            measures: [Measure(key: key, metric: metric, isRequired: true, bareUnit: bareUnit)], versions: versions)
    }
}

/// Open mHealth's units in UCUM.
enum OpenMHealthUnit {
    /// Units that `UnitConversion` knows under the same spelling go on as they are.
    static func ucum(_ unit: String) -> String { different[unit] ?? unit }

    private static let different: [String: String] = [
        "oz": "[oz_av]", "gr": "[gr]", "Ton": "[ston_av]", "Metric Ton": "t", "sec": "s",
    ]
}
