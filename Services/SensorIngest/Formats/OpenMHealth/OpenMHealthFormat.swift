package import VigilSchema

/// Open mHealth data points: a header that names the body's schema, and the body; one of them or an array.
///
/// Schemas: `OpenMHealthSchema`. Means and medians are readings, the lowest and the highest metrics of their own; other statistics are refused.
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
