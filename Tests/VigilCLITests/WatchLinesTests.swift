import Foundation
import MessageBus
import Testing
import VigilSchema

@testable import VigilCLI

@Suite("The lines of vigil watch")
struct WatchLinesTests {
    private func batch(_ observations: [Observation], participant: String = "anna") -> IncomingMessage {
        let group = ObservationGroup(
            participant: participant, source: "watch-1", received: Timestamp(microseconds: 0), observations: observations)
        let partition = Partition(participant: participant)
        return IncomingMessage(
            topic: Topic.readings(partition).path,
            payload: BatchEncoder.encode(ObservationBatch(id: ULID.make(at: .init(microseconds: 0)), groups: [group])))
    }

    private let rate = Observation(metric: "heart-rate", time: .init(microseconds: 0), content: .value(61), unit: "/min")
    private let steps = Observation(metric: "steps", time: .init(microseconds: 0), content: .value(12), unit: "{steps}")

    @Test("say who, what and how much")
    func readings() {
        let lines = WatchLines(participants: [], metrics: [], showsWaveforms: false)
        #expect(lines.lines(batch([rate])).map { String($0.dropFirst(8)) } == ["  anna  watch-1  heart-rate  61 /min"])
    }

    @Test("leave out whom and what nobody asked for")
    func filters() {
        let lines = WatchLines(participants: ["anna"], metrics: ["steps"], showsWaveforms: false)
        #expect(lines.lines(batch([rate, steps])).count == 1)
        #expect(lines.lines(batch([rate, steps], participant: "ben")).isEmpty)
    }

    @Test("subscribe only to the partitions of those who are named")
    func subscriptions() {
        let lines = WatchLines(participants: ["12"], metrics: [], showsWaveforms: true)
        let filters = lines.subscriptions.map(\.filter)
        for kind in ["readings", "waveforms", "derived"] {
            #expect(filters.contains("vigil/v1/observations/0a/\(kind)") && filters.contains("vigil/v1/observations/2/a/0a/\(kind)"))
        }
        #expect(!filters.contains { $0.contains("observations/+") })
    }

    @Test("show refusals with their place and reason")
    func rejects() throws {
        let error = PayloadError(.implausible, "heart-rate lies outside 20…300 /min", offset: 7, path: "$.value")
        let reject = Reject(
            participant: "anna", device: "watch-1", time: .init(microseconds: 0), error: error, count: 1, topic: "t", payload: [])
        let message = IncomingMessage(topic: Topic.reject(participant: "anna", device: "watch-1").path, payload: try reject.encoded())
        let lines = WatchLines(participants: [], metrics: [], showsWaveforms: false).lines(message)
        #expect(lines.first?.hasSuffix("anna  watch-1  REFUSED at $.value: heart-rate lies outside 20…300 /min") == true)
    }

    @Test("tell an alert in the reader's language, in words, and as an object for programs")
    func alerts() throws {
        let text =
            #"{"schema":"vigil/1","participant":"anna","rule":"heart-rate-high","sequence":1,"transition":"raised","cause":"reading","time":0,"decided":0,"state":"active","severity":"critical","priority":"high","kind":"medical","group":"g","acknowledged":false,"recovered":false,"inhibited":false,"dataLost":false,"silenced":false,"since":0,"metric":"heart-rate","value":140,"title":{"en":"Heart rate high","de":"Puls hoch"},"message":{"en":"Sit down.","de":"Bitte hinsetzen."}}"#
        let message = IncomingMessage(topic: Topic.prefix + "alert-events/anna/heart-rate-high", payload: Array(text.utf8))
        func lines(_ language: WatchLanguage, _ output: WatchOutput = .text) -> [String] {
            WatchLines(participants: [], metrics: [], showsWaveforms: false, language: language, output: output).lines(message)
        }
        #expect(lines(.de).first?.hasSuffix("anna  ALARM  kritisch  Puls hoch: Bitte hinsetzen.  (140 /min)") == true, "\(lines(.de))")
        #expect(lines(.en).first?.contains("ALERT  critical  Heart rate high: Sit down.") == true)
        // Where the language is missing English stands in.
        #expect(lines(.ru).first?.contains("Heart rate high") == true)
        let object = try JSONSerialization.jsonObject(with: Data(lines(.en, .json)[0].utf8)) as? [String: Any]
        #expect(object?["kind"] as? String == "alert" && (object?["alert"] as? [String: Any])?["rule"] as? String == "heart-rate-high")
        let reading = WatchLines(participants: [], metrics: [], showsWaveforms: false, output: .json).lines(batch([rate]))
        #expect(
            reading == [
                #"{"kind":"reading","metric":"heart-rate","participant":"anna","source":"watch-1","time":0,"unit":"/min","value":61}"#
            ])
    }

    @Test("tell what becomes of the connection, and nothing of its daily business")
    func connection() {
        let lines = WatchLines(participants: [], metrics: [], showsWaveforms: false)
        #expect(lines.line(.ready)?.hasSuffix("connected") == true)
        #expect(lines.line(.disconnected(BusError(.closed, during: .connect)))?.contains("tried again") == true)
        #expect(lines.line(.batchTaken(count: 1)) == nil)
    }

    @Test("survive whatever is published on the topics", arguments: ["", "{", "\0", "[]", "null"])
    func strangers(payload: String) {
        let lines = WatchLines(participants: [], metrics: [], showsWaveforms: false)
        for topic in ["observations/0a/readings", "rejects/a/b", "modules/a/b/status", "alert-events/a/b", "nothing"] {
            _ = lines.lines(IncomingMessage(topic: Topic.prefix + topic, payload: [UInt8](payload.utf8)))
        }
        #expect(lines.lines(IncomingMessage(topic: Topic.prefix + "observations/0a/readings", payload: [])).count == 1)
    }
}
