import Foundation
import Testing
import VigilSchema

@testable import SensorIngest

/// The verdicts of the schemas of Open mHealth, version by version, as their own test data have it.
@Suite("Open mHealth schemas")
struct OpenMHealthSchemaTests {
    /// A measure's body by its schema and version.
    struct Body: Sendable {
        let schema: String
        let version: String
        let members: String

        init(_ schema: String, _ version: String, _ members: String) {
            (self.schema, self.version, self.members) = (schema, version, members)
        }
    }

    private static let moment = #""effective_time_frame":{"date_time":"2013-02-05T07:25:00Z"}"#
    private static let hour =
        #""effective_time_frame":{"time_interval":{"start_date_time":"2013-02-05T07:00:00Z","end_date_time":"2013-02-05T08:00:00Z"}}"#

    /// The first version with each schema's time frame, and a body of it.
    private static let measures: [(schema: String, unframed: [String], framed: [String], members: String)] = [
        ("heart-rate", ["1.0", "1.1"], ["2.0"], #""heart_rate":{"value":60,"unit":"beats/min"}"#),
        (
            "blood-pressure", ["1.0", "2.0"], ["3.0", "3.1", "4.0"],
            #""systolic_blood_pressure":{"value":115,"unit":"mmHg"},"diastolic_blood_pressure":{"value":60,"unit":"mmHg"}"#
        ),
        ("body-temperature", ["1.0", "2.0"], ["3.0", "4.0"], #""body_temperature":{"value":36,"unit":"C"}"#),
        ("oxygen-saturation", ["1.0"], ["2.0"], #""oxygen_saturation":{"value":95,"unit":"%"}"#),
        ("respiratory-rate", ["1.0"], ["2.0"], #""respiratory_rate":{"value":12,"unit":"breaths/min"}"#),
        ("blood-glucose", ["1.0", "2.0"], ["3.0", "4.0"], #""blood_glucose":{"value":95,"unit":"mg/dL"}"#),
        ("body-weight", ["1.0"], ["2.0", "3.0"], #""body_weight":{"value":50,"unit":"kg"}"#),
        ("body-fat-percentage", ["1.0"], ["2.0"], #""body_fat_percentage":{"value":16,"unit":"%"}"#),
        ("body-height", ["1.0"], ["2.0"], #""body_height":{"value":180,"unit":"cm"}"#),
        ("body-mass-index", ["1.0"], ["2.0", "3.0"], #""body_mass_index":{"value":16,"unit":"kg/m^2"}"#),
    ]

    private func decode(_ body: Body, namespace: String = "omh") throws -> (readings: [Observation], refusals: [String]) {
        let text =
            #"{"header":{"schema_id":{"namespace":"\#(namespace)","name":"\#(body.schema)","version":"\#(body.version)"},"creation_date_time":"2013-02-05T07:25:00Z"},"body":{\#(body.members)}}"#
        let bytes = Array(text.utf8)
        let decoded = try OpenMHealthFormat().decode(bytes.span, received: Timestamp(seconds: 1_700_000_000))
        var readings: [Observation] = [], refusals = decoded.refusals.map(\.description)
        for reading in decoded.readings {
            do { readings.append(try Normaliser().normalise(reading, now: Timestamp(seconds: 1_700_000_000))) } catch {
                refusals.append("\(error)")
            }
        }
        return (readings, refusals)
    }

    @Test("have a time frame from the version on that asks for one, and take its making's time before")
    func frames() throws {
        for measure in Self.measures {
            for version in measure.unframed + measure.framed {
                #expect(try decode(Body(measure.schema, version, "")).readings.isEmpty)
                let framed = try decode(Body(measure.schema, version, measure.members + "," + Self.moment))
                #expect(framed.refusals.isEmpty && !framed.readings.isEmpty, "\(measure.schema) \(version): \(framed.refusals)")
                let bare = try decode(Body(measure.schema, version, measure.members))
                #expect(bare.refusals.isEmpty == measure.unframed.contains(version), "\(measure.schema) \(version)")
            }
        }
    }

    @Test(
        "refuse what the schema does not have",
        arguments: [
            Body("heart-rate", "2.0", #""heart_rate":{"value":60,"unit":"beat/min"},"# + moment),
            Body(
                "blood-pressure", "4.0",
                #""systolic_blood_pressure":{"value":1,"unit":"mmH"},"diastolic_blood_pressure":{"value":60,"unit":"mmHg"},"# + moment),
            Body(
                "blood-pressure", "3.1",
                #""systolic_blood_pressure":{"value":115,"unit":"mmHg"},"diastolic_blood_pressure":{"value":60,"unit":"mmHg"},"temporal_relationship_to_physical_activity":"rest","#
                    + moment),
            Body("body-temperature", "4.0", #""body_temperature":{"value":36,"unit":"G"},"# + moment),
            Body(
                "oxygen-saturation", "2.0",
                #""oxygen_saturation":{"value":95,"unit":"%"},"supplemental_oxygen_flow_rate":{"value":2.5,"unit":"dL/min"},"# + moment),
            Body("respiratory-rate", "2.0", #""respiratory_rate":{"value":12,"unit":"breath/min"},"# + moment),
            Body("blood-glucose", "1.0", #""blood_glucose":{"unit":"mg/dL","value":95},"blood_specimen_type":"plsma""#),
            Body("blood-glucose", "2.0", #""blood_glucose":{"unit":"mg/dL","value":95},"specimen_source":"fluid""#),
            Body("blood-glucose", "2.0", #""blood_glucose":{"unit":"mg/dL","value":95},"temporal_relationship_to_meal":"fsting""#),
            Body("blood-glucose", "2.0", #""blood_glucose":{"unit":"mg/dL","value":95},"temporal_relationship_to_sleep":"bfore sleeping""#),
            Body("blood-glucose", "4.0", #""blood_glucose":{"unit":"mg/dL","value":95},"descriptive_statistic":"minmum","# + hour),
            Body(
                "blood-glucose", "1.0",
                #""blood_glucose":{"unit":"mg/dL","value":95},"effective_time_frame":{"start_date_time":"2013-02-05T07:25:00Z"}"#),
            Body(
                "blood-glucose", "1.0",
                #""blood_glucose":{"unit":"mg/dL","value":95},"effective_time_frame":{"time_interval":{"start_date_time":"2013-02-05T07:25:00Z"}}"#
            ),
            Body("body-weight", "1.0", #""body_weight":{"value":50},"# + hour),
            Body("body-weight", "3.0", #""body_weight":{"unit":"kg"},"# + hour),
            Body("body-weight", "3.0", #""body_weight":{"value":50,"unit":"km"},"# + moment),
            Body("step-count", "2.0", #""step_count":6000,"# + moment), Body("step-count", "2.0", #""step_count":6000"#),
            Body("step-count", "2.0", #""step_count":"6000","# + hour), Body("step-count", "3.0", #""step_count":6000,"# + hour),
            Body("step-count", "3.0", #""step_count":{"value":6000,"unit":"step"},"# + hour),
            Body(
                "heart-rate", "2.0",
                #""heart_rate":{"value":60,"unit":"beats/min"},"effective_time_frame":{"date_time":"2013-02-05T07:25:00Z","time_interval":{}}"#
            ),
            Body(
                "heart-rate", "2.0",
                #""heart_rate":{"value":60,"unit":"beats/min"},"effective_time_frame":{"time_interval":{"start_date_time":"2013-02-05T07:25:00Z","end_date_time":"2012-02-05T07:25:00Z"}}"#
            ),
        ])
    func invalid(body: Body) throws {
        let result = try decode(body)
        #expect(result.readings.isEmpty && result.refusals.count >= 1, "\(result)")
    }

    @Test("make the lowest and the highest metrics of their own, for the interval that they speak of, and other statistics none")
    func statistics() throws {
        func weight(_ statistic: String) throws -> (readings: [Observation], refusals: [String]) {
            try decode(
                Body("body-weight", "3.0", #""body_weight":{"value":50,"unit":"kg"},"descriptive_statistic":"\#(statistic)","# + Self.hour))
        }
        #expect(try weight("minimum").readings.map { "\($0.metric) \($0.interval)" } == ["body-weight-minimum 3600"])
        #expect(try weight("maximum").readings.map(\.metric) == ["body-weight-maximum"])
        #expect(try weight("median").readings.map { "\($0.metric) \($0.interval)" } == ["body-weight 3600"])
        #expect(try weight("variance").refusals.count == 1)
        let steps = try decode(Body("step-count", "3.0", #""step_count":{"value":6000,"unit":"steps"},"# + Self.hour))
        #expect(steps.readings.map { "\($0.metric) \($0.interval)" } == ["steps 3600"])
        let mean = try decode(
            Body("step-count", "3.0", #""step_count":{"value":6000,"unit":"steps"},"descriptive_statistic":"average","# + Self.hour))
        #expect(mean.refusals.count == 1)
    }

    @Test("are taken in the namespace of IEEE 1752.1 too")
    func ieee() throws {
        let night = Body("total-sleep-time", "1.0", #""total_sleep_time":{"value":465,"unit":"min"},"# + Self.hour)
        #expect(try decode(night, namespace: "ieee").readings.map { "\($0.metric) \($0.interval)" } == ["sleep-minutes 3600"])
        #expect(try decode(night, namespace: "acme").refusals.count == 1)
    }

    /// As each version of the published schemas has `effective_time_frame` among its `required`, and a `time_interval` in it.
    @Test(
        "from which version on a schema requires a time, and of which the time is an interval",
        arguments: [
            ("heart-rate", 2, 2, nil), ("blood-pressure", 4, 3, nil), ("body-temperature", 4, 3, nil), ("oxygen-saturation", 2, 2, nil),
            ("respiratory-rate", 2, 2, nil), ("blood-glucose", 4, 3, nil), ("body-weight", 3, 2, nil), ("step-count", 3, 2, 2),
            ("body-fat-percentage", 2, 2, nil), ("body-height", 2, 2, nil), ("body-mass-index", 3, 2, nil), ("calories-burned", 2, 2, 2),
            ("rr-interval", 1, 2, nil), ("sleep-duration", 2, 2, 2), ("total-sleep-time", 1, 1, 1), ("ambient-temperature", 1, 2, nil),
        ] as [(String, Int, Int, Int?)])
    func frames(name: String, last: Int, framed: Int, interval: Int?) throws {
        let schema = try #require(OpenMHealthSchema.known("omh", name))
        #expect(schema.versions == 1...last && schema.framedSince == framed && schema.intervalSince == interval)
    }
}
