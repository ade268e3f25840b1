import Foundation
import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

/// One message is read at a time, for all devices: however it is made, its length alone may say how long that takes.
@Suite("A message as large as is taken", .serialized, .timeLimit(.minutes(5)))
struct LargeMessageTests {
    /// A way to fill a message, by its name.
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var topic = "vigil/v1/ingest/anna/gateway"
        let make: @Sendable (_ bytes: Int) -> String
    }

    static let own: [Shape] = [
        Shape(testDescription: "readings without a time") { bytes in
            .repeated(bytes, from: "[", to: "]") { #"{"metric":"heart-rate","value":\#(50 + $0 % 100)}"# }
        },
        Shape(testDescription: "metrics that nobody knows") { bytes in
            .repeated(bytes, from: "[", to: "]") { _ in #"{"metric":"hart-rate","time":1700000000,"value":61}"# }
        },
        Shape(testDescription: "halves of pressures") { bytes in
            let halves = String.repeated(bytes / 2, from: "[") {
                #"{"metric":"systolic-pressure","time":\#(1_600_000_000 + $0),"value":120}"#
            }
            return .repeated(bytes, from: halves + #",{"metric":"?"},"#, to: "]") {
                #"{"metric":"heart-rate","time":\#(1_600_000_000 + $0),"value":61}"#
            }
        },
        Shape(testDescription: "keys that nobody knows") { bytes in
            .repeated(bytes, from: #"{"metric":"heart-rate","value":61,"#, to: "}") { #""k\#($0)":1"# }
        },
        Shape(testDescription: "samples") {
            .repeated($0, from: #"{"metric":"ecg","period":0.004,"samples":["#, to: "]}") { "0.\($0 % 10)" }
        },
        Shape(testDescription: "samples of a day each") {
            .repeated($0, from: #"{"metric":"heart-rate","period":86400,"samples":["#, to: "]}") { "6\($0 % 10)" }
        },
        Shape(testDescription: "SenML without times") { bytes in
            .repeated(bytes, from: "[", to: "]") { _ in #"{"n":"heart-rate","u":"beat/min","v":61}"# }
        },
        Shape(testDescription: "SenML with a long base name") { bytes in
            .repeated(bytes, from: #"[{"bn":"\#(String(repeating: "a/", count: bytes / 4))heart-rate","v":61},"#, to: "]") {
                #"{"v":\#(50 + $0 % 100)}"#
            }
        },
        Shape(testDescription: "Open mHealth with many keys") { bytes in
            .repeated(bytes, from: "[", to: "]") { _ in .repeated(8_000, from: #"{"header":{},"#, to: "}") { #""k\#($0)":1"# } }
        },
        Shape(testDescription: "a line of fields") { .repeated($0, separator: "#") { _ in "1" } },
    ]

    private static func known(_ name: String, _ topic: String = "known/x", _ make: @escaping @Sendable (Int) -> String) -> Shape {
        Shape(testDescription: name, topic: topic, make: make)
    }

    static let mapped: [Shape] = [
        known("fields of a line given many times", "influx/x") { .repeated($0, from: "m ", to: "\n") { _ in "hr=61" } },
        known("lines of many fields", "influx/x") { bytes in
            .repeated(bytes, separator: "\n") { _ in .repeated(9_000, from: "m hr=61,a_unit=1,") { "k\($0)=61" } }
        },
        known("records of a device each", "devices/x") { .repeated($0, from: "[", to: "]") { #"{"id":"d\#($0)","hr":61}"# } },
        known("records of a device each, with nothing in it", "devices/x") { .repeated($0, from: "[", to: "]") { #"{"id":"d\#($0)"}"# } },
        known("values of one time", "devices/x") { .repeated($0, from: "[", to: "]") { #"{"t":1700000000,"hr":60.\#($0)}"# } },
        known("records without a time", "devices/x") { .repeated($0, from: "[", to: "]") { #"{"hr":6\#($0 % 10)}"# } },
        known("elements under a long key") { bytes in
            .repeated(bytes, from: #"{"\#(String(repeating: "k", count: bytes / 2))":["#, to: "]}") { _ in #"{"hr":61}"# }
        },
        known("members under a long key", "members/x") { bytes in
            .repeated(bytes, from: #"{"\#(String(repeating: "k", count: bytes / 2))":{"#, to: "}}") { #""d\#($0)":{"hr":61}"# }
        },
        known("objects within") {
            .repeated($0, from: #"{"a":["#, to: "]}") { _ in #"{"b":{"hr":61,"rr":12,"x":{"weight":70,"weight_unit":"kg"}}}"# }
        },
        known("a text of digits") { #"{"hr":"\#(String(repeating: "1", count: $0))"}"# },
        known("a text of blanks") { #"{"bp":"12\#(String(repeating: " ", count: $0))"}"# },
        known("lines of columns", "csv/x") { .repeated($0, separator: "\n") { "anna,\($0),61,\(String(repeating: "x", count: 90))" } },
    ]

    private static let mappings = """
        {mappings: [
          {topics: ["influx/{p}"], format: "influx", participant: "@p", device: "b", knownNames: true, each: [".", "fields"]},
          {topics: ["devices/{p}"], each: ".", participant: "@p", device: {from: "id", else: "x"}, time: "t", knownNames: true, ignore: ["id"]},
          {topics: ["members/{p}"], each: ["*", "*"], participant: "@p", device: "b", knownNames: true},
          {topics: ["csv/{p}"], format: "csv", columns: ["who", "n", "hr"], participant: {from: "who"}, device: {from: "n"}, knownNames: true, ignore: ["*"]},
          {topics: ["known/{p}"], participant: "@p", device: "b", knownNames: true},
        ]}
        """

    /// The processor's time for reading a message, in seconds.
    private func time(_ shape: Shape, _ bytes: Int) throws -> Double {
        let message = IncomingMessage(
            topic: shape.topic, payload: Array(shape.make(bytes).utf8), properties: MessageProperties(correlationData: [1]))
        var reader = MessageReader(
            limits: MessageReader.Limits(payload: 2 << 20), mappings: MappingRules(try MappingFile.parse(Self.mappings)))
        let start = Self.now()
        let result = reader.read([message], received: Timestamp(seconds: 1_700_000_000))
        let time = Self.now() - start
        #expect(result.accepted + result.refused > 0)
        return time
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("takes four times as long as a quarter of it, and not sixteen times", arguments: own + mapped)
    func linear(shape: Shape) throws {
        let quarter = try time(shape, 1 << 18), whole = try time(shape, 1 << 20)
        if ProcessInfo.processInfo.environment["VIGIL_TIMES"] != nil { print("\(shape.testDescription): \(quarter) s, \(whole) s") }
        #expect(whole < 8 * quarter + 0.05)
    }
}

extension String {
    /// Repeats what is made of a number until there are so many bytes.
    fileprivate static func repeated(
        _ bytes: Int, from start: String = "", separator: String = ",", to end: String = "", _ part: (Int) -> String
    ) -> String {
        var text = start, number = 0
        while text.utf8.count < bytes {
            if number > 0 { text += separator }
            text += part(number)
            number += 1
        }
        return text + end
    }
}
