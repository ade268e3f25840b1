package import VigilSchema

/// The file formats of an export of observations.
package enum ExportFormat: String, Sendable, CaseIterable {
    /// A row an observation, RFC 4180.
    case csv
    /// One JSON array of groups, as on the bus.
    case json
    /// FHIR R4, a resource a line: Patient once, then Observation.
    case fhir

    /// An encoder for one export.
    /// - Parameter profile: the participant's, for formats that name people; nil leaves the name out.
    package func encoder(profile: ParticipantProfile?) -> any ExportEncoder {
        switch self {
        case .csv: CSVExport()
        case .json: JSONExport()
        case .fhir: FHIRExport(profile: profile)
        }
    }
}
