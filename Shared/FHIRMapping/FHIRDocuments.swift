import Foundation
package import VigilSchema

extension FHIR {
    /// http://hl7.org/fhir/R4/device.html
    package struct Device: Encodable, Sendable {
        package struct Name: Encodable, Sendable {
            package let name: String
            package let type = "user-friendly-name"
        }

        package static let system = "urn:vigil:source"

        package let resourceType = "Device"
        package let id: String
        package let identifier: [Identifier]
        package let deviceName: [Name]
        package let patient: Reference

        /// A source of a participant's observations.
        package init(_ source: String, of participant: String) {
            id = Self.id(source, of: participant)
            identifier = [.init(system: Self.system, value: source)]
            deviceName = [Name(name: source)]
            patient = .init(reference: "Patient/" + FHIRId.of(participant: participant), type: "Patient")
        }

        /// The source's name.
        package var name: String { identifier.first?.value ?? "" }

        /// The id of a source's Device.
        package static func id(_ source: String, of participant: String) -> String {
            "\(FHIRId.mark(of: participant))-d-\(FHIRId.of([participant, "source", source]))"
        }
    }

    /// http://hl7.org/fhir/R4/narrative.html
    package struct Narrative: Encodable, Sendable {
        package let status = "generated"
        package let div: String

        /// A list of lines, whatever stands in them.
        package init(_ lines: [String]) {
            let items = lines.map { "<li>\(Self.escaped($0))</li>" }.joined()
            div = "<div xmlns=\"http://www.w3.org/1999/xhtml\"><ul>\(items)</ul></div>"
        }

        private static func escaped(_ text: String) -> String {
            // Of the control characters XHTML has three.
            let plain = text.unicodeScalars.filter { $0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0) }
            return String(String.UnicodeScalarView(plain)).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                .replacing(">", with: "&gt;")
        }
    }

    /// http://hl7.org/fhir/R4/composition.html
    package struct Composition: Encodable, Sendable {
        package struct Section: Encodable, Sendable {
            package let title: String
            package let code: CodeableConcept
            package let text: Narrative
            package let entry: [Reference]

            /// - Parameter code: LOINC's.
            package init(_ title: String, code: String, lines: [String], references: [String]) {
                self.title = title
                self.code = FHIRObservations.loinc(code, text: title)
                text = Narrative(lines)
                entry = references.map { Reference(reference: $0) }
            }
        }

        package let resourceType = "Composition"
        package let id: String
        package let status = "final"
        package let type = FHIRObservations.loinc("60591-5", text: "Patient summary")
        package let subject: Reference
        package let date: String
        package let author = [Named(display: "Vigil")]
        package let title = "International Patient Summary"
        package let section: [Section]

        package init(id: String, of participant: String, at time: Timestamp, _ sections: [Section]) {
            self.id = id
            subject = .init(reference: "Patient/" + FHIRId.of(participant: participant), type: "Patient")
            date = time.iso8601()
            section = sections
        }
    }
}

extension FHIR.Entry {
    /// The statement that nobody entered anything of a kind: of the International Patient Summary's required sections none may be empty.
    /// - Parameter code: of http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips.
    package init?(absent kind: TimelineEntry.Kind, of participant: String) {
        let patient = FHIR.Reference(reference: "Patient/" + FHIRId.of(participant: participant), type: "Patient")
        func concept(_ code: String, _ text: String) -> FHIR.CodeableConcept {
            .init(
                coding: [.init(system: "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips", code: code, display: text)],
                text: text)
        }
        let id = "\(FHIRId.mark(of: participant))-none-\(kind.rawValue)"
        switch kind {
        case .allergy:
            self.init(resourceType: "AllergyIntolerance", id: id, identifier: nil)
            clinicalStatus = FHIREntries.status("allergyintolerance-clinical", "active")
            code = concept("no-allergy-info", "No information about allergies")
            self.patient = patient
        case .condition:
            self.init(resourceType: "Condition", id: id, identifier: nil)
            clinicalStatus = FHIREntries.status("condition-clinical", "active")
            code = concept("no-problem-info", "No information about problems")
            subject = patient
        case .medication:
            self.init(resourceType: "MedicationStatement", id: id, identifier: nil)
            status = "unknown"
            medicationCodeableConcept = concept("no-medication-info", "No information about medications")
            subject = patient
        default: return nil
        }
    }
}
