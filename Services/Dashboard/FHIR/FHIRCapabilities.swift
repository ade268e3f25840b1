import Foundation

/// What the interface can do, as a CapabilityStatement: exactly what works.
enum FHIRCapabilities {
    /// One parameter of a search.
    struct Parameter {
        let name: String
        let type: String
        let about: String

        init(_ name: String, _ type: String, _ about: String) { (self.name, self.type, self.about) = (name, type, about) }
    }

    private struct Resource {
        let type: String
        let parameters: [Parameter]
        var operations: [(name: String, definition: String)] = []
    }

    private static let patient = [
        Parameter("patient", "reference", "The person: Patient/ID or ID. May be left out by an account that sees one person only."),
        Parameter("subject", "reference", "The same."),
    ]

    private static let resources =
        [
            Resource(
                type: "Patient",
                parameters: [
                    Parameter("_id", "token", "The id."),
                    Parameter("identifier", "token", "The participant's name; urn:vigil:participant."),
                    Parameter("name", "string", "The beginning of the first or last name or pseudonym; :exact, :contains."),
                    Parameter("family", "string", "Of the last name."), Parameter("given", "string", "Of the first name."),
                    Parameter("gender", "token", "As FHIR has it."), Parameter("birthdate", "date", "The day."),
                ],
                operations: [
                    ("everything", "http://hl7.org/fhir/OperationDefinition/Patient-everything"),
                    ("summary", "http://hl7.org/fhir/uv/ips/OperationDefinition/summary"),
                ]),
            Resource(
                type: "Observation",
                parameters: patient + [
                    Parameter("_id", "token", "The id."),
                    Parameter("code", "token", "LOINC, MDC, or urn:vigil:metric with Vigil's own name."),
                    Parameter("component-code", "token", "Of a blood pressure."),
                    Parameter("combo-code", "token", "Of the whole or a component."),
                    Parameter("status", "token", "All are final."),
                    Parameter("category", "token", "vital-signs, laboratory, activity, survey."),
                    Parameter("date", "date", "The beginning: eq, ge, gt, le, lt, sa, eb. A date without a zone is on the wearer's clock."),
                    Parameter("_lastUpdated", "date", "The receipt of a reading. Entries of people are left out where it is given."),
                ],
                operations: [("lastn", "http://hl7.org/fhir/OperationDefinition/Observation-lastn")]),
            Resource(
                type: "Device",
                parameters: patient + [
                    Parameter("_id", "token", "The id."), Parameter("identifier", "token", "The source's name; urn:vigil:source."),
                ]),
        ] + EntryResources.types.map { Resource(type: $0.type, parameters: patient + $0.parameters) }

    /// The document as JSON, keys sorted.
    static func document(base: String) -> [UInt8] {
        let document: [String: Any] = [
            "resourceType": "CapabilityStatement", "status": "active", "date": "2026-11-28", "kind": "instance", "fhirVersion": "4.0.1",
            "format": ["json", "application/fhir+json"], "publisher": "Vigil", "software": ["name": "vigil-dashboard"],
            "implementation": ["description": "Readings and entries of one installation of Vigil", "url": base],
            "rest": [
                [
                    "mode": "server",
                    "documentation":
                        "Read and search only. Whom an account may not see is not there. Prefer: handling=strict refuses unknown parameters.",
                    "security": ["description": "A personal token as Authorization: Bearer; vigil people token NAME makes one."],
                    "resource": resources.map(describe),
                ] as [String: Any]
            ],
        ]
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and lists only: always JSON.
        return (try? JSONSerialization.data(withJSONObject: document, options: options)).map { [UInt8]($0) } ?? []
    }

    private static let common = [
        Parameter("_count", "number", "Resources on a page, up to 1000; 100 without it.")
    ]

    private static func describe(_ resource: Resource) -> [String: Any] {
        let parameters = resource.parameters + common
        var result: [String: Any] = [
            "type": resource.type, "interaction": [["code": "read"], ["code": "search-type"]], "versioning": "no-version",
            "searchParam": parameters.map { ["name": $0.name, "type": $0.type, "documentation": $0.about] },
        ]
        if !resource.operations.isEmpty {
            result["operation"] = resource.operations.map { ["name": $0.name, "definition": $0.definition] }
        }
        return result
    }
}
