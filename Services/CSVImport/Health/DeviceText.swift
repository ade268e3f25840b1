import Foundation

/// What an Apple Health record says of its device.
enum DeviceText {
    /// The device's hardware, or its model, or its name: `Watch6,1`. The text as a whole starts with an object's address in memory
    /// (`<<HKDevice: 0x2829c0f50>, name:…`), which is another one in each export and must not get into an identity.
    static func name(_ text: String) -> String? {
        // Values hold commas themselves, so a field ends where another one's name begins.
        for key in ["hardware:", "model:", "name:"] {
            guard let start = text.range(of: ", \(key)")?.upperBound else { continue }
            let value = text[start...]
            let ends = [", name:", ", manufacturer:", ", model:", ", hardware:", ", firmware:", ", software:", ", localIdentifier:", ">"]
            let end = ends.compactMap { value.range(of: $0)?.lowerBound }.min() ?? value.endIndex
            if end > start { return String(value[..<end]) }
        }
        return nil
    }
}
