import SensorIngest
import Testing
import VigilSchema

@testable import VigilCLI

@Suite("Readings without a time in a spool")
struct SpooledTimesTests {
    private let now = Timestamp(microseconds: 1_700_000_000_000_007)

    private func times(_ payload: [UInt8]) throws -> [Int64] {
        try ReadingDecoder().decode(payload.span, received: Timestamp(seconds: 1)).readings.map { $0.observation.time.microseconds }
    }

    @Test("get that of now, no two the same, and so stay the same however often they are sent")
    func timed() throws {
        var spooled = SpooledTimes()
        let reading = Array(#" {"metric":"heart-rate","value":61}"#.utf8)
        #expect(
            String(decoding: spooled.timed(reading, at: now), as: UTF8.self)
                == #" {"time":1700000000.000007,"metric":"heart-rate","value":61}"#)
        #expect(try times(spooled.timed(reading, at: now)) == [now.microseconds + 1])
        #expect(try times(spooled.timed(reading, at: now.advanced(bySeconds: -5))) == [now.microseconds + 2])
        #expect(try times(spooled.timed(reading, at: now.advanced(bySeconds: 2))) == [now.microseconds + 2_000_000])
    }

    @Test(
        "are left as they are where there is no place for it, or they have one",
        arguments: [
            #"{"metric":"heart-rate","value":61,"time":1700000000}"#, #"[{"metric":"heart-rate","value":61},{"metric":"pain","value":3}]"#,
            "0#0#0#0#0#36.9#0#0#0#0#0#0#", "{", "", #"[{"n":"heart-rate","v":61}]"#, #"{"metric":"heart-rate","value":"x"}"#,
        ])
    func untimed(text: String) {
        var spooled = SpooledTimes()
        #expect(spooled.timed(Array(text.utf8), at: now) == Array(text.utf8))
    }
}
