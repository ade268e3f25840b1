import Foundation
import MessageBus
import SensorIngest
import SuiteHarness
import VigilSchema

/// Messages of a bridge, read by a mapping while the shipped ones are in force, a second of one core's time.
struct MappedDecode: Benchmark {
    let name = "mapped-decode"
    let unit = "messages/s"
    let goal = Goal.atLeast(300_000)
    let repeats = 5

    func product(_ bench: Workbench) async throws -> Double {
        let mappings = try MappingLoad.shipped()
        let received = Timestamp(seconds: 1_769_857_200)
        let messages = 200_000
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
}

/// The share of the native path's time that ten mappings beside it cost, in per cent: what is the suite's own does not come to them.
struct NativeBesideMappings: Benchmark {
    let name = "native-beside-mappings"
    let unit = "%"
    let goal = Goal.atMost(2)
    let repeats = 5

    func product(_ bench: Workbench) async throws -> Double {
        let ten = MappingRules(MappingSet(Array(try MappingLoad.shipped().mappings.prefix(10))))
        var times: [Double] = [.infinity, .infinity]
        // In turn, the best of each: what else runs on the machine hits both alike.
        for _ in 0..<7 {
            for (place, rules) in [MappingRules(), ten].enumerated() { times[place] = min(times[place], seconds(rules)) }
        }
        return max(0, (times[1] / times[0] - 1) * 100)
    }

    private func seconds(_ rules: MappingRules) -> Double {
        var reader = MessageReader(mappings: rules)
        let batch = (0..<1000).map { number in
            IncomingMessage(topic: "vigil/v1/ingest/anna/watch-\(number % 10)", payload: Array(MappingLoad.native(number).utf8))
        }
        let start = ProcessorTime.now
        for round in 0..<100 {
            _ = reader.read(batch, received: Timestamp(seconds: 1_769_857_200 + Double(round)))
            reader.commit()
        }
        return Double(ProcessorTime.now - start) / 1e9
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
