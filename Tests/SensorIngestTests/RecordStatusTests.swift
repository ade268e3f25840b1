import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Records that are no measurement")
struct RecordStatusTests {
    private static let shipped = Result { try MappingFile.load([MappingTests.shipped]) }

    @Test(
        "are refused by every mapping, whatever it leaves out",
        arguments: [
            #""isValid":false"#, #""valid":0"#, #""deleted":true"#, #""is_deleted":"true""#, #""deletedAt":"2026-01-31T11:00:00Z""#,
            #""action":"remove""#, #""op":"DELETE""#, #""status":"entered-in-error""#, #""isTest":true"#, #""isGoal":true"#,
            #""category":"goal""#,
            #""controlSolution":true"#, #""estimated":true"#, #""worn":false"#, #""leadOff":1"#, #""calibrating":true"#,
        ])
    func statuses(member: String) throws {
        for body in [
            #"knownNames: true, ignore: ["*"]"#, #"readings: [{metric: "oxygen-saturation", value: "spo2", unit: "%"}], ignore: ["*"]"#,
        ] {
            let lines = try MappingSample.lines(body, #"{"spo2":97,\#(member)}"#)
            #expect(lines.count == 1 && lines[0].hasPrefix("no "), "\(lines)")
            let nested = try MappingSample.lines(#"knownNames: true, ignore: ["*"]"#, #"{"a":{"spo2":97,\#(member)},"hr":61}"#)
            #expect(nested.count == 2 && nested.contains { $0.contains("heart-rate") }, "\(nested)")
        }
        let parent = try MappingSample.lines(
            #"each: "list", readings: [{metric: "oxygen-saturation", value: "spo2", unit: "%"}], ignore: ["*"]"#,
            #"{"list":[{"spo2":97},{"spo2":98}],\#(member)}"#)
        #expect(parent.count == 2 && parent.allSatisfy { $0.hasPrefix("no ") }, "\(parent)")
    }

    @Test(
        "are taken where the status says that they are measurements, or the mapping reads it itself",
        arguments: [
            #""isValid":true"#, #""deleted":false"#, #""deleted":null"#, #""action":"update""#, #""status":"final""#, #""isTest":false"#,
            #""category":"normal""#, #""worn":true"#, #""estimated":false"#, #""op":"insert""#, #""goal":120"#,
        ])
    func measurements(member: String) throws {
        #expect(try MappingSample.lines(#"knownNames: true, ignore: ["*"]"#, #"{"spo2":97,\#(member)}"#).count == 1)
        let own = #"readings: [{metric: "oxygen-saturation", value: "spo2", unit: "%", when: {isValid: {exists: true}}}], ignore: ["*"]"#
        #expect(try MappingSample.lines(own, #"{"spo2":97,"isValid":false}"#) == ["a b oxygen-saturation 97.0 % on arrival"])
    }

    @Test(
        "of the makers' own: goals and measures of somebody else, doses that were never given",
        arguments: [
            (
                "withings/anna",
                #"{"measuregrps":[{"category":2,"attrib":0,"date":1769857200,"measures":[{"type":1,"value":7000,"unit":-2}]}]}"#
            ),
            (
                "withings/anna",
                #"{"body":{"measuregrps":[{"category":1,"attrib":1,"date":1769857200,"measures":[{"type":1,"value":70,"unit":0}]}]}}"#
            ),
            ("nightscout/anna/treatments", #"[{"eventType":"Bolus","insulin":5,"isValid":false,"created_at":"2026-01-31T11:00:00Z"}]"#),
            ("nightscout/treatments", #"[{"_id":"5","action":"remove","insulin":5,"created_at":"2026-01-31T11:00:00Z"}]"#),
            ("vigil/v1/ingest/anna/aaps", #"{"eventType":"Bolus","insulin":5,"isValid":false,"created_at":"2026-01-31T11:00:00Z"}"#),
            ("nightscout/anna/entries", #"[{"type":"sgv","sgv":50,"isValid":false,"date":1769857200000}]"#),
        ])
    func makers(topic: String, payload: String) throws {
        let found = MappedMessage(Array(payload.utf8), topic: topic, by: try Self.shipped.get())
        #expect(found.accepted.isEmpty && !found.refused.isEmpty, "\(found.accepted)")
    }
}
