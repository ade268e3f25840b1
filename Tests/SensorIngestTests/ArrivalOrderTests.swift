import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Readings that are stamped on arrival")
struct ArrivalOrderTests {
    private static let arrival: Int64 = 1_700_000_000_000_000

    private func located(
        _ microseconds: Int64, metric: String = "heart-rate", sequence: Int32 = 0, interval: Int32 = 0, part: String? = nil
    ) -> ParsedObservation {
        let observation = Observation(
            metric: metric, time: Timestamp(microseconds: microseconds), sequence: sequence, interval: interval, content: .value(61),
            unit: "")
        var located = ParsedObservation(observation, offsets: .init(element: 0), index: nil)
        located.part = part
        return located
    }

    @Test("of one series get times of their own, a microsecond apart, past those that others of it bring")
    func apart() {
        var times = DistinctTimes()
        #expect(times.isEmpty)
        func told(_ reading: ParsedObservation) -> Int64 {
            var reading = reading
            times.tellApart(&reading)
            return reading.observation.time.microseconds
        }
        #expect([5, 5, 5, 9, 6, 5].map { told(located($0)) } == [5, 6, 7, 9, 8, 10])
        #expect(!times.isEmpty)
        // Another series may have the time as well.
        #expect(told(located(5, metric: "pain")) == 5 && told(located(5, sequence: 1)) == 5)
        #expect(told(located(5, interval: 60)) == 5 && told(located(5, part: "left")) == 5 && told(located(5, part: "left")) == 6)
    }

    private func read(_ reader: inout MessageReader, _ payload: String) -> [Int64] {
        let message = IncomingMessage(topic: "vigil/v1/ingest/anna/watch", payload: Array(payload.utf8))
        let result = reader.read([message], received: Timestamp(microseconds: Self.arrival))
        reader.commit()
        return result.batches.flatMap(\.batch.groups).flatMap(\.observations).map { $0.time.microseconds - Self.arrival }
    }

    @Test("come behind all that the message before them was given")
    func behind() {
        var reader = MessageReader()
        let one = #"{"metric":"heart-rate","value":61}"#
        #expect(read(&reader, one) == [0] && read(&reader, "[\(one),\(one),\(one)]") == [1, 2, 3])
        #expect(read(&reader, one) == [4])
    }

    @Test("whose distance to now the message tells are told apart over many messages that come at once", arguments: [-1.0, -0.5, -3600])
    func relative(distance: Double) {
        var reader = MessageReader()
        let pack =
            #"[{"n":"heart-rate","u":"beat/min","t":\#(distance),"v":60},{"n":"heart-rate","u":"beat/min","t":\#(distance),"v":61.5}]"#
        let times = (0..<50).flatMap { _ in read(&reader, pack) }
        #expect(times.count == 100 && Set(times).count == 100)
    }

    @Test(
        "come behind a time that the message before them brought, where that lies less than a second ahead",
        arguments: [(999_999, 1_000_000), (1_000_000, 1)] as [(Int64, Int64)])
    func ahead(microseconds: Int64, next: Int64) {
        var reader = MessageReader()
        let one = #"{"metric":"heart-rate","value":61}"#
        let own = #"{"metric":"pain","value":3,"time":170000000\#(microseconds == 1_000_000 ? "1" : "0.999999")}"#
        #expect(read(&reader, "[\(one),\(own)]") == [0, microseconds])
        #expect(read(&reader, one) == [next])
    }

    @Test("are none of an announcement, which is read up to the length of any message")
    func announcement() throws {
        let files = try MappingFile.parse(
            #"{mappings: [{topics: ["t"], participant: "a", device: "b", readings: [{metric: "heart-rate", value: "hr"}]}]}"#)
        for (count, isRead) in [(300, true), (301, false)] {
            let rules = MappingRules(files, discoveryPrefix: "homeassistant")
            var reader = MessageReader(limits: .init(payload: 300), mappings: rules)
            let text = #"{"name":"heart rate","stat_t":"s/hr","unit_of_meas":"bpm"}"#
            let payload = text + String(repeating: " ", count: count - text.utf8.count)
            let message = IncomingMessage(topic: "homeassistant/sensor/x/config", payload: Array(payload.utf8), retained: true)
            let result = reader.read([message], received: Timestamp(microseconds: Self.arrival))
            #expect(result.refused == 0 && result.accepted == 0 && rules.current.filters.contains("s/hr") == isRead)
            // Once: another batch announces nothing.
            rules.announce([(message.topic, [])])
            _ = reader.read([], received: Timestamp(microseconds: Self.arrival))
            #expect(!rules.current.filters.contains("s/hr"))
        }
    }
}
