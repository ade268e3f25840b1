import FHIRMapping
import Foundation
import Observability
import VigilSchema

/// Patient: read and search.
enum PatientResources {
    static let all = [read] + search

    private static let read = FHIRRoutes.operation("/Patient/{id}", "A person.") { call in
        try FHIRParameters(call.call.request).checkFormat()
        guard let person = await call.person(try call.call.path("id")) else { throw APIError.notFound }
        _ = try await call.bus(for: person, "fhir-read", "Patient")
        return FHIR.response(try FHIR.Patient(person.participant, person.profile))
    }

    private static let search = FHIRRoutes.search("/Patient", "The people whom the account may see.") { call in
        var parameters = FHIRParameters(call.call.request)
        let ids = try parameters.take("_id").map { Set($0.alternatives) }
        let identifiers = FHIRToken.groups(try parameters.take("identifier"))
        let names = try ["name", "family", "given"].flatMap { name in
            try parameters.take(name, modifiers: ["exact", "contains"]).map { NameWanted(part: name, $0) }
        }
        let genders = FHIRToken.groups(try parameters.take("gender"))
        let born = try FHIRTimes(parameters.take("birthdate"), named: "birthdate", zone: .gmt)
        let count = try parameters.takeCount()
        let place = try parameters.takePlace()
        try parameters.finish()
        let found = await call.people { name in
            ids.allSatisfy { $0.contains(FHIRId.of(participant: name)) }
                && identifiers.allSatisfy { $0.contains { $0.matches(system: "urn:vigil:participant", code: name) } }
        }.filter { person in
            names.allSatisfy { $0.fits(person.profile) } && born.holds(birthOf: person.profile)
                && genders.allSatisfy { $0.contains { $0.matches(system: $0.system ?? "", code: person.profile.sex?.rawValue ?? "") } }
        }.sorted { $0.participant < $1.participant }
        try await call.call.audit("fhir-search", "Patient")
        let rest = found.filter { $0.participant > (place?.id ?? "") }
        let page = try rest.prefix(count).map {
            FHIRResource("Patient", FHIRId.of(participant: $0.participant), try FHIR.Patient($0.participant, $0.profile))
        }
        let next = count > 0 && rest.count > count ? FHIRPlace(time: Timestamp(microseconds: 0), id: rest[count - 1].participant) : nil
        return FHIR.response(
            FHIRBundle(page, parameters, of: "Patient", base: call.base, total: found.count, next: next))
    }

    /// A text that a name has to begin with, contain or be.
    private struct NameWanted: Sendable {
        private let part: String
        private let modifier: String?
        private let alternatives: [String]

        init(part: String, _ argument: FHIRParameters.Argument) {
            (self.part, modifier) = (part, argument.modifier)
            alternatives = argument.modifier == "exact" ? argument.alternatives : argument.alternatives.map { $0.lowercased() }
        }

        func fits(_ profile: ParticipantProfile) -> Bool {
            let names: [String?] =
                switch part {
                case "family": [profile.last]
                case "given": [profile.first]
                default: [profile.last, profile.first, profile.pseudonym]
                }
            return names.compactMap(\.self).contains { name in
                switch modifier {
                case "exact": alternatives.contains(name)
                case "contains": alternatives.contains { name.lowercased().contains($0) }
                default: alternatives.contains { name.lowercased().hasPrefix($0) }
                }
            }
        }
    }
}

extension FHIRTimes {
    /// Returns whether somebody was born then; of whom nobody knows it only where all times are wanted.
    fileprivate func holds(birthOf profile: ParticipantProfile) -> Bool {
        isAlways || profile.birthDate.flatMap { DateTimeText($0 + "T00:00:00Z") }.map { range.contains($0.time) } ?? false
    }
}
