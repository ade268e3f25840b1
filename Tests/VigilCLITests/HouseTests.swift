import Foundation
import MessageBus
import Observability
import ServiceKit
import Testing
import VigilSchema

@testable import VigilCLI

@Suite("people's numbers and alarms for the systems of a house")
struct HouseTests {
    private let metrics = MetricsRegistry()

    private func entities(_ participants: Set<String> = ["anna", "b.x_y"]) -> HouseEntities {
        HouseEntities(participants: participants, prefix: "homeassistant", metrics: metrics)
    }

    private func latest(
        _ participant: String, _ metric: String, _ content: Observation.Content, unit: String
    ) -> IncomingMessage {
        let observation = Observation(
            metric: metric, time: Timestamp(seconds: 1_700_000_000), content: content, unit: unit)
        return IncomingMessage(
            topic: Topic.latest(participant: participant, metric: metric).path,
            payload: BatchEncoder.encode(observation), retained: true)
    }

    private func payload(_ message: OutgoingMessage?) throws -> [String: Any] {
        let message = try #require(message)
        return try #require(try JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any])
    }

    @Test("a metric is announced once, as Home Assistant reads it, and its newest value is a gauge")
    func sensor() throws {
        var entities = entities()
        let message = entities.take(latest("anna", "body-temperature", .value(36.6), unit: "Cel"))
        #expect(
            message?.topic == "homeassistant/sensor/vigil_anna/body-temperature/config"
                && message?.retained == true)
        let entity = try payload(message)
        #expect(entity["state_topic"] as? String == "vigil/v1/latest/anna/body-temperature")
        #expect(entity["value_template"] as? String == "{{ value_json.value }}")
        #expect(
            entity["unit_of_measurement"] as? String == "°C"
                && entity["device_class"] as? String == "temperature")
        #expect(entities.take(latest("anna", "body-temperature", .value(37.2), unit: "Cel")) == nil)
        let page = metrics.render()
        #expect(
            page.contains(
                #"vigil_person_value{metric="body-temperature",participant="anna",unit="Cel"} 37.2"#),
            "\(page)")
        let text = try payload(
            entities.take(latest("anna", "consciousness", .text("alert"), unit: "1")))
        #expect(
            text["value_template"] as? String == "{{ value_json.text }}"
                && text["unit_of_measurement"] == nil)
    }

    @Test(
        "only the named people are shown, names stay within Home Assistant's alphabet, and a person has a bound"
    )
    func bounds() {
        var entities = entities()
        #expect(entities.take(latest("ben", "heart-rate", .value(60), unit: "/min")) == nil)
        let odd = entities.take(latest("b.x_y", "heart.rate_1", .value(60), unit: "/min"))
        #expect(odd?.topic == "homeassistant/sensor/vigil_b_dx_uy/heart_drate_u1/config")
        let made = (0..<600).count {
            entities.take(latest("anna", "m\($0)", .value(1), unit: "1")) != nil
        }
        #expect(made == HouseEntities.mostOfPerson)
        #expect(
            metrics.render().split(separator: "\n").count { $0.hasPrefix("vigil_person_value{") }
                == HouseEntities.mostOfPerson + 1)
        let broken = IncomingMessage(
            topic: "vigil/v1/latest/anna/heart-rate", payload: Array("{".utf8), retained: true)
        #expect(entities.take(broken) == nil)
    }

    @Test("an alarm is announced when it first stands, and off when its topic is empty")
    func alarm() throws {
        var entities = entities()
        let topic = Topic.alert(participant: "anna", rule: "heart-rate-high").path
        #expect(entities.take(IncomingMessage(topic: topic, payload: [], retained: true)) == nil)
        let message = entities.take(
            IncomingMessage(topic: topic, payload: Array("{}".utf8), retained: true))
        #expect(
            message?.topic == "homeassistant/binary_sensor/vigil_anna/alert_uheart-rate-high/config")
        let entity = try payload(message)
        // A latched alarm that is better again still waits for somebody.
        #expect(entity["value_template"] as? String == "{{ 'ON' if value and value_json.state == 'active' else 'OFF' }}")
        #expect(entity["state_topic"] as? String == topic)
    }

    @Test("what an erased person had is shown no more, and comes anew where it comes again; a vital sign grows old, a weight does not")
    func erased() throws {
        var entities = entities()
        let rate = entities.take(latest("anna", "heart-rate", .value(61), unit: "/min"))
        let weight = entities.take(latest("anna", "body-weight", .value(70), unit: "kg"))
        #expect(try payload(rate)["expire_after"] as? Int == 900 && payload(weight)["expire_after"] == nil)
        let topic = Topic.latest(participant: "anna", metric: "heart-rate").path
        #expect(entities.take(IncomingMessage(topic: topic, payload: [], retained: true)) == nil)
        let page = metrics.render()
        #expect(!page.contains(#"metric="heart-rate""#) && page.contains(#"metric="body-weight""#), "\(page)")
        #expect(entities.take(latest("anna", "heart-rate", .value(62), unit: "/min")) != nil)
    }
}
