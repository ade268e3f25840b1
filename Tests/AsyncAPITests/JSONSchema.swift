import Foundation

/// Validates JSON against the part of JSON Schema 2020-12 that the suite's schemas use. A keyword that it does not know is a problem,
/// so that no schema says more than is checked.
struct JSONSchema {
    /// The folder of the schemas and the API document.
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "deploy/asyncapi")

    private static let annotations: Set<String> = ["$schema", "title", "description", "examples", "x-refused"]
    private let root: [String: Any]

    /// Reads `schemas/<name>`.
    init(_ name: String) throws {
        root = try Self.read("schemas/\(name)")
    }

    /// Reads a JSON object below the folder.
    static func read(_ path: String) throws -> [String: Any] {
        let data = try Data(contentsOf: folder.appending(path: path))
        guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else { throw CocoaError(.coderReadCorrupt) }
        return object
    }

    /// The examples of the schema, and those of what is refused.
    var examples: [Any] { root["examples"] as? [Any] ?? [] }
    var refused: [Any] { root["x-refused"] as? [Any] ?? [] }

    /// Returns the problems of the value; empty where there are none.
    func problems(_ value: Any) throws -> [String] { try problems(value, root, "$") }

    /// The same for a payload.
    func problems(in payload: [UInt8]) throws -> [String] {
        try problems(try JSONSerialization.jsonObject(with: Data(payload), options: .fragmentsAllowed))
    }

    private func problems(_ value: Any, _ schema: [String: Any], _ path: String) throws -> [String] {
        var problems: [String] = []
        for (keyword, rule) in schema where !Self.annotations.contains(keyword) {
            problems += try check(keyword, rule, value, schema, path).map { "\(path): \($0)" }
        }
        return problems
    }

    private func check(_ keyword: String, _ rule: Any, _ value: Any, _ schema: [String: Any], _ path: String) throws -> [String] {
        switch keyword {
        case "$ref": return try JSONSchema(rule as? String ?? "").problems(value)
        case "type": return types(rule).contains { fits(value, $0) } ? [] : ["is no \(types(rule).joined(separator: " or "))"]
        case "const": return "\(value)" == "\(rule)" ? [] : ["is not \(rule)"]
        case "enum": return (rule as? [String] ?? []).contains(value as? String ?? "") ? [] : ["is none of the values"]
        case "pattern": return matches(value, rule) ? [] : ["does not match"]
        case "minLength": return (value as? String).map { $0.count >= number(rule) } ?? true ? [] : ["is too short"]
        case "minItems": return (value as? [Any]).map { $0.count >= number(rule) } ?? true ? [] : ["has too few items"]
        case "minimum": return double(value).map { $0 >= double(rule) ?? 0 } ?? true ? [] : ["is too small"]
        case "maximum": return double(value).map { $0 <= double(rule) ?? 0 } ?? true ? [] : ["is too large"]
        case "exclusiveMinimum": return double(value).map { $0 > double(rule) ?? 0 } ?? true ? [] : ["is too small"]
        case "oneOf":
            return try (rule as? [[String: Any]] ?? []).count { try problems(value, $0, path).isEmpty } == 1 ? [] : ["fits not one"]
        default: return try checkObject(keyword, rule, value, schema, path)
        }
    }

    private func checkObject(
        _ keyword: String, _ rule: Any, _ value: Any, _ schema: [String: Any], _ path: String
    ) throws -> [String] {
        let object = value as? [String: Any]
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        switch keyword {
        case "required":
            guard let object else { return [] }
            return (rule as? [String] ?? []).filter { object[$0] == nil }.map { "lacks \($0)" }
        case "dependentRequired":
            let needed = (rule as? [String: [String]] ?? [:]).filter { object?[$0.key] != nil }.flatMap(\.value)
            return needed.filter { object?[$0] == nil }.map { "lacks \($0)" }
        case "properties":
            return try (object ?? [:]).flatMap { key, member in
                try properties[key].map { try problems(member, $0, "\(path).\(key)") } ?? []
            }
        case "additionalProperties":
            let others = (object ?? [:]).filter { properties[$0.key] == nil }
            if let members = rule as? [String: Any] { return try others.flatMap { try problems($0.value, members, "\(path).\($0.key)") } }
            return others.keys.map { "has \($0), which is not in the schema" }
        case "items":
            return try (value as? [Any] ?? []).enumerated().flatMap { index, item in
                try problems(item, rule as? [String: Any] ?? [:], "\(path)[\(index)]")
            }
        default: return ["the schema's keyword \(keyword) is not checked"]
        }
    }

    private func types(_ rule: Any) -> [String] { rule as? [String] ?? [rule as? String ?? ""] }

    private func fits(_ value: Any, _ type: String) -> Bool {
        // Foundation's numbers tell by their type code whether they were true or false.
        let isBoolean = (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
        return switch type {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "boolean": isBoolean
        case "integer": !isBoolean && (double(value).map { $0 == $0.rounded() } ?? false)
        case "number": !isBoolean && double(value) != nil
        default: false
        }
    }

    private func matches(_ value: Any, _ rule: Any) -> Bool {
        guard let text = value as? String, let pattern = rule as? String else { return true }
        return text.range(of: pattern, options: .regularExpression) != nil
    }

    private func double(_ value: Any) -> Double? { (value as? NSNumber)?.doubleValue }
    private func number(_ value: Any) -> Int { (value as? NSNumber)?.intValue ?? 0 }
}
