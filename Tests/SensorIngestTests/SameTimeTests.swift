import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Readings of one message with one metric and time")
struct SameTimeTests {
    private func stored(_ payload: String) -> [String] {
        var reader = MessageReader()
        let message = IncomingMessage(topic: "vigil/v1/ingest/anna/watch", payload: Array(payload.utf8))
        let result = reader.read([message], received: Timestamp(seconds: 1_700_000_000))
        return result.batches.flatMap(\.batch.groups).flatMap(\.observations).map { observation in
            guard case .value(let value) = observation.content else { return "\(observation.metric) other" }
            return "\(observation.metric) \(value) #\(observation.sequence)"
        }
    }

    private func reading(_ metric: String, _ value: Double, _ more: String = "") -> String {
        #"{"metric":"\#(metric)","time":1699999999,"value":\#(value)\#(more)}"#
    }

    @Test("are all stored, and the same one sent twice is one")
    func apart() {
        let message = [61.0, 62, 63, 61].map { reading("heart-rate", $0) }.joined(separator: ",")
        #expect(stored("[\(message)]") == ["heart-rate 61.0 #0", "heart-rate 62.0 #1", "heart-rate 63.0 #2", "heart-rate 61.0 #0"])
        let senml = #"[{"n":"heart-rate","v":61,"t":1699999999},{"n":"heart-rate","v":62,"t":1699999999},{"n":"hr","v":63,"t":1699999999}]"#
        #expect(stored(senml) == ["heart-rate 61.0 #0", "heart-rate 62.0 #1", "heart-rate 63.0 #2"])
    }

    @Test("keep the halves of pressures together by their order")
    func pressures() {
        let halves = [("systolic", 120.0), ("diastolic", 80), ("systolic", 130), ("diastolic", 80), ("systolic", 140), ("diastolic", 90)]
        let message = halves.map { reading("\($0.0)-pressure", $0.1) }.joined(separator: ",")
        #expect(
            stored("[\(message)]") == [
                "systolic-pressure 120.0 #0", "diastolic-pressure 80.0 #0", "systolic-pressure 130.0 #1", "diastolic-pressure 80.0 #1",
                "systolic-pressure 140.0 #2", "diastolic-pressure 90.0 #2",
            ])
    }

    @Test("keep the numbers that they bring, and a day's count is replaced by the next")
    func others() {
        let numbered = [reading("heart-rate", 61, #","seq":4"#), reading("heart-rate", 62), reading("heart-rate", 63)]
        #expect(stored("[\(numbered.joined(separator: ","))]").map { $0.suffix(2) } == ["#4", "#0", "#0"])
        let days = [reading("steps", 12, #","period":86400"#), reading("steps", 30, #","period":86400"#)]
        #expect(stored("[\(days.joined(separator: ","))]").map { $0.suffix(2) } == ["#0", "#0"])
    }
}
