import Foundation
import TestSupport

/// Checks FHIR resources with `fhir.resources` (PyPI), an implementation that shares nothing with Vigil's.
enum FHIRValidator {
    /// The reason why the validator could not run.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Counts of the valid resources by type, sorted by it; throws with the validator's words for the first that is not.
    static func validate(_ lines: String) throws -> String {
        let folder = URL.temporaryDirectory.appending(path: "vigil-fhir-validator")
        if !FileManager.default.fileExists(atPath: folder.appending(path: "bin/python").path) {
            try run("/usr/bin/env", ["python3", "-m", "venv", folder.path], input: "")
        }
        let python = folder.appending(path: "bin/python").path
        try run(python, ["-m", "pip", "install", "--quiet", "fhir.resources"], input: "")
        return try run(python, ["-c", script], input: lines).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static let script = """
        import collections, json, sys
        from fhir.resources.R4B import get_fhir_model_class
        counts = collections.Counter()
        for line in sys.stdin:
            resource = json.loads(line)
            kind = resource["resourceType"]
            get_fhir_model_class(kind).model_validate(resource)
            counts[kind] += 1
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
