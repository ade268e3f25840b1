import FHIRMapping
import VigilSchema

/// The observations that a search wants by code and category.
struct ObservationCriteria: Sendable {
    /// The codes of a metric's observations: those of the whole, and those of its components.
    private struct Codes: Sendable {
        let metric: String
        var whole: [FHIR.CodeableConcept]
        var components: [FHIR.CodeableConcept] = []

        init(_ metric: String) {
            self.metric = metric
            // Glucose has another code where a sensor under the skin measured it.
            whole = [FHIRObservations.code(metric, source: ""), FHIRObservations.code(metric, source: "cgm")]
            guard FHIRObservations.pressures.contains(metric) else { return }
            whole.append(FHIRObservations.pressurePanel)
            components = [FHIRObservations.systolic, FHIRObservations.diastolic]
        }
    }

    private static let catalogue = MetricCatalogue.standard.definitions.filter { $0.kind != .waveform }.map { Codes($0.name) }

    private let codes: [[FHIRToken]]
    private let componentCodes: [[FHIRToken]]
    private let comboCodes: [[FHIRToken]]
    private let categories: [[FHIRToken]]

    init(_ parameters: inout FHIRParameters) throws(APIError) {
        codes = FHIRToken.groups(try parameters.take("code"))
        componentCodes = FHIRToken.groups(try parameters.take("component-code"))
        comboCodes = FHIRToken.groups(try parameters.take("combo-code"))
        categories = FHIRToken.groups(try parameters.take("category"))
    }

    private init(categories: [[FHIRToken]]) { (codes, componentCodes, comboCodes, self.categories) = ([], [], [], categories) }

    /// All observations.
    static let any = ObservationCriteria(categories: [])

    /// Those of a category.
    static func category(_ code: String) -> Self { ObservationCriteria(categories: [[FHIRToken(code)]]) }

    /// A Boolean value that indicates whether all observations are wanted.
    var isAny: Bool { [codes, componentCodes, comboCodes, categories].allSatisfy(\.isEmpty) }

    /// A Boolean value that indicates whether metrics are wanted that only the person's own list names: those that the catalogue lacks.
    var needsList: Bool { !isAny && (codes + comboCodes).isEmpty && componentCodes.isEmpty }

    /// The names of the metrics that may be wanted.
    /// - Parameter known: the person's own metrics, where `needsList` is true.
    func metrics(of known: [String]) -> [String] {
        let named = (codes + comboCodes).joined().compactMap { $0.system.map { $0 == FHIRObservations.metrics } ?? true ? $0.code : nil }
        let candidates = Set(known + named).subtracting(Self.catalogue.map(\.metric)).map { Codes($0) } + Self.catalogue
        return candidates.filter { mayBeWanted($0) }.map(\.metric).sorted()
    }

    private func mayBeWanted(_ candidate: Codes) -> Bool {
        let category = FHIRObservations.category(FHIRObservations.category(of: candidate.metric))
        return codes.allSatisfy { Self.matches($0, candidate.whole) }
            && componentCodes.allSatisfy { Self.matches($0, candidate.components) }
            && comboCodes.allSatisfy { Self.matches($0, candidate.whole + candidate.components) }
            && categories.allSatisfy { Self.matches($0, [category]) }
    }

    /// The kinds of entries that may be wanted: results and notes.
    var kinds: Set<TimelineEntry.Kind> {
        var kinds: Set<TimelineEntry.Kind> = componentCodes.isEmpty ? [.result] : []
        if codes.isEmpty, comboCodes.isEmpty, componentCodes.isEmpty { kinds.insert(.note) }
        return kinds.filter { kind in
            let category = FHIRObservations.category(kind == .result ? "laboratory" : "survey")
            return categories.allSatisfy { Self.matches($0, [category]) }
        }
    }

    /// Returns whether the observation itself is wanted.
    func matches(_ resource: FHIR.Observation) -> Bool {
        let parts = (resource.component ?? []).map(\.code)
        return codes.allSatisfy { Self.matches($0, [resource.code]) } && componentCodes.allSatisfy { Self.matches($0, parts) }
            && comboCodes.allSatisfy { Self.matches($0, [resource.code] + parts) }
            && categories.allSatisfy { Self.matches($0, resource.category) }
    }

    private static func matches(_ tokens: [FHIRToken], _ concepts: [FHIR.CodeableConcept]) -> Bool {
        concepts.contains { concept in tokens.contains { $0.matches(concept) } }
    }
}
