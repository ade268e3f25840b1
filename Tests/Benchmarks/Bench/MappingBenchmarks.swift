import Foundation
import MessageBus
import SensorIngest
import SuiteHarness
import VigilSchema

/// Messages of a bridge, read by a mapping while the shipped ones are in force, a second of one core's time.
struct MappedDecode: Benchmark {
    let name = "mapped-decode"
    let unit = "messages/s"
    let goal = Goal.ratio(0.02)
    let repeats = 5
    let yardstick: String? = "simdjson's on-demand parser, the same fields"
    private let messages = 200_000

    func product(_ bench: Workbench) async throws -> Double {
        let mappings = try MappingLoad.shipped()
        let received = Timestamp(seconds: 1_769_857_200)
        var readings = 0
        let start = ProcessorTime.now
        for _ in 0..<messages {
            for part in try mappings.read(MappingLoad.scale, topic: MappingLoad.topic, received: received) ?? [] {
                readings += part.decoded.readings.count
            }
        }
        let seconds = Double(ProcessorTime.now - start) / 1e9
        guard readings == 2 * messages else { throw HarnessError("read \(readings) of \(2 * messages)") }
        return Double(messages) / seconds
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        try await NativePeer.simdjson.rate(
            ["mapped"], payload: MappingLoad.scale, messages: 10 * messages, readings: 2, in: try bench.freshFolder())
    }
}

/// Native messages through ingest's reader with ten mappings beside them, a second of one core's time: what is the suite's own does not come to
/// the mappings.
struct NativeBesideMappings: Benchmark {
    let name = "native-beside-mappings"
    let unit = "messages/s"
    let goal = Goal.ratio(0.98)
    let repeats = 7
    let yardstick: String? = "the same messages without mappings"

    func product(_ bench: Workbench) async throws -> Double {
        rate(MappingRules(MappingSet(Array(try MappingLoad.shipped().mappings.prefix(10)))))
    }

    func limit(_ bench: Workbench) async throws -> Double? { rate(MappingRules()) }

    /// The best of three: what else runs on the machine hits both alike, but not each at the same time.
    private func rate(_ rules: MappingRules) -> Double { (0..<3).map { _ in once(rules) }.max() ?? .nan }

    private func once(_ rules: MappingRules) -> Double {
        var reader = MessageReader(mappings: rules)
        let batch = (0..<1000).map { number in
            IncomingMessage(topic: "vigil/v1/ingest/anna/watch-\(number % 10)", payload: Array(MappingLoad.native(number).utf8))
        }
        let start = ProcessorTime.now
        for round in 0..<100 {
            _ = reader.read(batch, received: Timestamp(seconds: 1_769_857_200 + Double(round)))
            reader.commit()
        }
        return Double(100 * batch.count) * 1e9 / Double(ProcessorTime.now - start)
    }
}

/// The messages that the benchmarks of mappings read.
enum MappingLoad {
    static let topic = "home/OpenMQTTGateway/BTtoMQTT/A4C138000001"
    static let scale = Array(
        #"{"id":"A4:C1:38:00:00:01","mac_type":0,"rssi":-60,"brand":"Xiaomi","model":"Mi Body Composition Scale","model_id":"XMTZC02HM/XMTZC05HM","type":"SCALE","weighing_mode":"person","unit":"kg","weight":72.45,"impedance":503}"#
            .utf8)

    static func native(_ number: Int) -> String { #"{"metric":"heart-rate","time":\#(1_769_857_200 + number),"value":61,"unit":"/min"}"# }

    static func shipped() throws -> MappingSet {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return try MappingFile.load([root + "/deploy/mappings"])
    }
}
