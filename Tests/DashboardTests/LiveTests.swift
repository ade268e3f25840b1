import Foundation
import Testing
import VigilSchema

@testable import Dashboard

@Suite("Live events")
struct LiveTests {
    private func begun() -> ViewerMailbox {
        var mailbox = ViewerMailbox()
        _ = mailbox.take(snapshot: { "{}" }, alias: { $0 })
        return mailbox
    }

    @Test("a viewer begins with a snapshot; of a metric only the newest value waits")
    func newest() {
        var mailbox = ViewerMailbox()
        mailbox.put(value: "0", "heart-rate", of: "anna")
        let first = mailbox.take(snapshot: { "all" }, alias: { $0 })
        #expect(first == [.init(name: "snapshot", data: "all")])
        for value in 0..<1000 { mailbox.put(value: "\(value)", "heart-rate", of: "anna") }
        let events = mailbox.take(snapshot: { "" }, alias: { "p-\($0)" })
        #expect(events == [.init(name: "values", data: #"{"p":"p-anna","v":[999]}"#)])
        #expect(mailbox.isEmpty)
    }

    @Test("a viewer that does not read gets a gap instead of old waveforms, and a snapshot instead of a flood of alerts")
    func slow() {
        var mailbox = begun()
        for block in 0..<10_000 { mailbox.put(wave: "[\(block)]", of: "anna") }
        let events = mailbox.take(snapshot: { "" }, alias: { $0 })
        #expect(events.first == .init(name: "gap", data: #"{"p":"anna"}"#))
        #expect(events.reduce(0) { $0 + $1.data.utf8.count } < 2 * ViewerMailbox.mostWaveBytes)
        for rule in 0..<2000 { mailbox.put(alert: "{}", "rule-\(rule)", of: "anna") }
        let fresh = mailbox.take(snapshot: { "all" }, alias: { $0 })
        #expect(fresh == [.init(name: "snapshot", data: "all")])
    }

    @Test("samples survive their way as 16-bit numbers")
    func samples() throws {
        let samples = (0..<250).map { sin(Double($0) / 20) * 1.5 + 0.3 }
        let encoded = EncodedSamples(samples)
        let bytes = [UInt8](try #require(Data(base64Encoded: encoded.base64)))
        for (index, sample) in samples.enumerated() {
            let number = Int16(bitPattern: UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8)
            #expect(abs(encoded.offset + encoded.scale * Double(number) - sample) < 1e-4)
        }
        #expect(EncodedSamples([0.5, 0.5]).offset == 0.5)
        #expect(Data(base64Encoded: EncodedSamples([1]).base64)?.count == 2)
    }

    @Test("the picture forgets samples after twelve seconds, takes no older value for a newer one, and takes 200 metrics at most")
    func picture() {
        var picture = LivePicture()
        func value(_ time: Double) -> LivePicture.Value {
            .init(time: Timestamp(seconds: time), source: "s", content: .value(time), unit: "1")
        }
        var taken: [Bool] = []
        for time in [10.0, 9] { taken.append(picture.take(value(time), "heart-rate", of: "anna")) }
        #expect(taken == [true, false])
        for metric in 0..<300 { _ = picture.take(value(10), "m\(metric)", of: "anna") }
        #expect(picture.people["anna"]?.values.count == 200)
        for second in 0..<100 {
            let block = LivePicture.Block(
                metric: "ecg", source: "s", time: Timestamp(seconds: Double(second)), period: 0.01,
                samples: EncodedSamples([Double](repeating: 1, count: 100)), unit: "mV")
            let isTaken = picture.take(block, of: "anna")
            #expect(isTaken)
        }
        #expect((picture.people["anna"]?.waves["ecg"]?.count ?? 0) <= 14)
    }

    @Test("a viewer hears of those whom it may see, an analyst without names and texts")
    func hub() {
        let hub = LiveHub()
        let names = Pseudonyms(secret: "s")
        let nurse = Account(name: "nurse", roles: [.carer], participants: ["anna"])
        let analyst = Account(name: "ana", roles: [.analyst], participants: ["anna"])
        let viewers = [nurse, analyst].map { hub.add(.init(account: $0, pseudonyms: names, waves: [])) }
        for viewer in viewers { _ = viewer.take { _ in "" } }
        for participant in ["anna", "ben"] {
            let alert = AlertMessage(
                participant: participant, rule: "fever", sequence: 1, transition: "raised", cause: "reading", time: 1, decided: 1,
                state: "active", severity: "warning", priority: "medium", kind: "medical", group: "g", since: 1,
                message: ["en": "\(participant) has a fever"])
            hub.take(alert: alert, "fever", of: participant)
        }
        let heard = viewers.map { $0.take { _ in "" }.map(\.data).joined() }
        #expect(heard[0].contains("anna has a fever") && !heard[0].contains("ben"))
        #expect(heard[1].contains("fever") && !heard[1].contains("anna"))
        #expect(hub.snapshot(viewers[1].access, now: 1).contains("anna") == false)
        for viewer in viewers { hub.remove(viewer) }
        #expect(hub.viewerCount == 0)
    }
}
