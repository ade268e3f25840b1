import Foundation

/// Small structures that are kept as JSON text.
enum StoredJSON {
    static func text(_ value: some Encodable) throws(StoreError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw StoreError(.badRequest, operation: "write", detail: "a structure cannot be written as JSON")
        }
    }

    static func value<Value: Decodable>(_ text: String) throws(StoreError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw StoreError(.corrupt, operation: "query", detail: "a stored structure is not the JSON that it should be")
        }
    }
}
