import HTTPClient
import ServiceKit
import VigilSchema

extension ValueFormat where Value == String {
    /// An address that can be fetched, or nothing.
    static let webAddress = ValueFormat<String>(
        accepts: "an address that begins with http:// or https://, or nothing for none", placeholder: "URL",
        read: { text in
            if text.isEmpty { return "" }
            return (try? HTTPClient.check(text)) == nil ? nil : text
        }, write: { $0 })
}

extension ValueFormat where Value == [String: String] {
    /// Names and what they mean.
    static let nameMap = ValueFormat<[String: String]>(
        accepts: "pairs such as Flux=airflow,GSR2=skin-conductance", placeholder: "NAME=METRIC,…",
        read: { text in
            var map: [String: String] = [:]
            for pair in text.split(separator: ",") {
                let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
                guard sides.count == 2, !sides[0].isEmpty, Name.isValid(sides[1]) else { return nil }
                map[String(sides[0])] = String(sides[1])
            }
            return map
        }, write: { map in map.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",") })
}
