import Testing
import VigilSchema

@testable import SensorIngest

@Suite("A name that means two things")
struct AmbiguousNameTests {
    private static let shipped = Result { try MappingFile.load([MappingTests.shipped]) }

    private static func message(_ topic: String, _ payload: String) throws -> MappedMessage {
        MappedMessage(Array(payload.utf8), topic: topic, by: try shipped.get())
    }

    @Test(
        "is no person's on the topics of rooms, servers and networks of sensors",
        arguments: [
            ("sensor/data", #"{"temp":21.5}"#), ("sensor/data", #"{"temp":31.5,"hum":40}"#),
            ("health/vitals", #"{"temp":34,"humidity":40}"#),
            ("sensor/data", #"{"temp":34,"hr":60}"#), ("telegraf/server", #"{"fields":{"temp":45},"tags":{},"timestamp":1769857200}"#),
            ("v3/app/devices/room/up", #"{"received_at":"2026-01-31T11:00:00Z","uplink_message":{"decoded_payload":{"temp":39.5}}}"#),
            ("v1/devices/me/telemetry", #"{"height":180}"#), ("v1/devices/me/telemetry", #"{"hr":45,"temp":22}"#),
            ("sensor/data", #"{"pulse":120}"#),
            ("telegraf/pi", #"{"fields":{"pi":3.1,"energy":300},"tags":{},"timestamp":1769857200}"#), ("scale/kitchen", #"{"weight":3.2}"#),
            ("vigil/v1/ingest/anna/server", #"{"temp":45}"#), ("vigil/v1/ingest/anna/room", #"{"hr":45,"humidity":50}"#),
            ("health/anna/temp", "36.6"), ("health/vitals", #"{"type":"temp","value":36.6}"#), ("xiaomi/room", #"{"height":120}"#),
            ("sensors/data", #"{"water":50,"distance":80}"#), ("health/vitals", #"{"rr":16}"#),
        ])
    func things(topic: String, payload: String) throws {
        let found = try Self.message(topic, payload)
        #expect(found.accepted.isEmpty && !found.refused.isEmpty, "\(found.accepted)")
    }

    @Test(
        "is the person's beside a vital sign that can be nothing else, or where its unit decides",
        arguments: [
            ("sensor/data", #"{"temp":36.6,"spo2":97}"#, "body-temperature 36.6 Cel"),
            ("sensor/data", #"{"hr":61,"spo2":97}"#, "heart-rate 61.0 /min"),
            ("health/vitals", #"{"rr":16,"spo2":97}"#, "respiration-rate 16.0 /min"),
            ("health/vitals", #"{"rr":800,"spo2":97}"#, "rr-interval 800.0 ms"),
            ("health/vitals", #"{"rr":{"value":16,"unit":"/min"}}"#, "respiration-rate 16.0 /min"),
            ("health/vitals", #"{"rr_ms":16}"#, nil),
            ("health/vitals", #"{"rr_ms":800}"#, "rr-interval 800.0 ms"), ("health/vitals", #"{"hr":61}"#, "heart-rate 61.0 /min"),
            ("scale/anna", #"{"weight":72}"#, "body-weight 72.0 kg"), ("vigil/v1/ingest/anna/watch", #"{"hr":61}"#, "heart-rate 61.0 /min"),
        ] as [(String, String, String?)])
    func people(topic: String, payload: String, expected: String?) throws {
        let found = try Self.message(topic, payload)
        guard let expected else {
            #expect(found.accepted.isEmpty)
            return
        }
        #expect(found.accepted.contains { $0.contains(expected) }, "\(found.accepted) \(found.refused)")
    }

    @Test("is refused with the next step in the suite's own formats, and taken where its unit decides")
    func formats() {
        func reading(_ metric: String, _ value: Double, _ unit: String) throws(PayloadError) -> Observation {
            let observation = Observation(metric: metric, time: Timestamp(seconds: 1_700_000_000), content: .value(value), unit: unit)
            return try Normaliser(acceptsUnknownMetrics: true).normalise(
                ParsedObservation(observation, offsets: .init(element: 0), index: nil), now: Timestamp(seconds: 1_700_000_000))
        }
        let error = #expect(throws: PayloadError.self) { try reading("temp", 21, "Cel") }
        #expect(error?.code == .unknownMetric && error?.reason.contains("body-temperature or ambient-temperature") == true)
        #expect((try? reading("RR", 16, "/min"))?.metric == "respiration-rate")
        #expect((try? reading("rr", 0.8, "s"))?.metric == "rr-interval")
        #expect(throws: PayloadError.self) { try reading("rr", 16, "") }
    }

    @Test("has at least one meaning, each a metric of the catalogue, and no alias where it has several")
    func table() {
        for (name, ambiguity) in MetricCatalogue.ambiguousForTests {
            #expect(!ambiguity.meanings.isEmpty, "\(name)")
            for meaning in ambiguity.meanings { #expect(MetricCatalogue.standard.definition(named: meaning) != nil, "\(name)") }
            #expect(ambiguity.meanings.count == 1 || MetricCatalogue.standard.definition(for: name) == nil, "\(name)")
        }
    }
}

extension MetricCatalogue {
    fileprivate static var ambiguousForTests: [(String, AmbiguousName)] {
        ["temp", "rr", "pi", "hr", "pulse", "bpm", "weight", "height", "distance", "energy", "water", "fat", "oxygen", "sys", "dia"]
            .compactMap { name in ambiguity(of: name).map { (name, $0) } }
    }
}
