import Foundation

/// Checks FHIR resources with `fhir.resources` (PyPI), an implementation that shares nothing with Vigil's, and with HL7's own JSON schema of R4 where
/// it is at hand: `VIGIL_FHIR_SCHEMA`, or `fhir.schema.json` in the recorded data.
package enum FHIRValidator {
    /// The reason why the validator could not run.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Counts of the valid resources by type, sorted by it; throws with the validator's words for the first that is not.
    package static func validate(_ lines: String) throws -> String {
        let python = try environment.get()
        if schema == nil { print("FHIR's official schema was not asked: set VIGIL_FHIR_SCHEMA to the path of R4's fhir.schema.json") }
        return try run(python, ["-c", script] + [schema].compactMap(\.self), input: lines).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The Python program of an environment with the validators, made once for all tests that run side by side; one that was not made to its end is
    /// made anew.
    private static let environment = Result {
        let folder = URL.temporaryDirectory.appending(path: "vigil-fhir-validator")
        let (python, whole) = (folder.appending(path: "bin/python").path, folder.appending(path: "whole").path)
        if !FileManager.default.fileExists(atPath: whole) {
            try run("/usr/bin/env", ["python3", "-m", "venv", "--clear", folder.path], input: "")
            try run(python, ["-m", "pip", "install", "--quiet", "fhir.resources==8.3.0", "jsonschema==4.26.0"], input: "")
            try Data().write(to: URL(filePath: whole))
        }
        return python
    }

    private static var schema: String? {
        let named =
            ProcessInfo.processInfo.environment["VIGIL_FHIR_SCHEMA"] ?? RecordedData.folder?.appending(path: "fhir.schema.json").path
        return named.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
    }

    private static let script = """
        import collections, json, sys
        import jsonschema
        from fhir.resources.R4B import get_fhir_model_class
        counts, official = collections.Counter(), {}
        definitions = json.load(open(sys.argv[1]))["definitions"] if len(sys.argv) > 1 else None
        def parts(resource):
            # Of a Bundle each resource by its own type: the schema would try every type for each.
            for entry in resource.get("entry", []) if resource["resourceType"] == "Bundle" else []:
                yield entry.pop("resource")
            yield resource
        for line in sys.stdin:
            resource = json.loads(line)
            get_fhir_model_class(resource["resourceType"]).model_validate(resource)
            counts[resource["resourceType"]] += 1
            for part in parts(resource) if definitions else []:
                kind = part["resourceType"]
                if kind not in official:
                    official[kind] = jsonschema.Draft6Validator({"$ref": f"#/definitions/{kind}", "definitions": definitions})
                official[kind].validate(part)
        print(*(f"{kind} {count}" for kind, count in sorted(counts.items())))
        """

    @discardableResult
    private static func run(_ program: String, _ arguments: [String], input: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-input-\(UUID().uuidString)")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try ChildProcess.runBlocking([program] + arguments, input: file.path)
    }
}
