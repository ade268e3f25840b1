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

    @Test(
        "samples at the ends of what a number can be end nothing: the scale is a number, and they come back as near as 16 bits are",
        arguments: [
            [0, 2000 * .leastNonzeroMagnitude], [-.leastNonzeroMagnitude, .leastNonzeroMagnitude], [1.7e308, 1.7e308], [-1.7e308, 1.7e308],
            [-Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude], [Double.greatestFiniteMagnitude],
            [0, .leastNormalMagnitude],
        ])
    func extremes(_ samples: [Double]) throws {
        let encoded = EncodedSamples(samples)
        #expect(encoded.offset.isFinite && encoded.scale.isNormal && encoded.scale > 0)
        let bytes = [UInt8](try #require(Data(base64Encoded: encoded.base64)))
        let span = (samples.max() ?? 0) / 65_000 - (samples.min() ?? 0) / 65_000
        for (index, sample) in samples.enumerated() {
            let number = Int16(bitPattern: UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8)
            #expect(abs(encoded.offset + encoded.scale * Double(number) - sample) <= max(span, 1e-300))
        }
        let hub = LiveHub()
        let observation = Observation(
            metric: "ecg", time: Timestamp(seconds: 1), content: .samples(samples, period: 0.004), unit: "mV")
        hub.take(
            ObservationBatch(
                id: "a",
                groups: [ObservationGroup(participant: "anna", source: "s", received: Timestamp(seconds: 1), observations: [observation])]))
        let carer = Account(name: "nurse", roles: [.carer], participants: ["anna"])
        let picture = hub.snapshot(Viewer.Access(account: carer, pseudonyms: Pseudonyms(secret: "s"), waves: ["anna"]), now: 1)
        #expect((try? JSONSerialization.jsonObject(with: Data(picture.utf8))) != nil && picture.contains("\"d\":"))
    }

    @Test("two who send more than there is room for push out their own blocks: a third keeps twelve seconds")
    func flood() {
        var picture = LivePicture()
        func wave(_ participant: String, _ metric: String, at time: Double, _ samples: EncodedSamples, every period: Double) -> Bool {
            picture.take(
                LivePicture.Block(
                    metric: metric, source: "s", time: Timestamp(seconds: time), period: period, samples: samples, unit: "mV"),
                of: participant)
        }
        let second = EncodedSamples([Double](repeating: 1, count: 250)), much = EncodedSamples([Double](repeating: 1, count: 300_000))
        for time in 0..<12 {
            let isTaken = wave("carl", "ecg", at: Double(time), second, every: 0.004)
            #expect(isTaken)
            for participant in ["anna", "ben"] {
                for metric in ["a", "b", "c", "d"] { _ = wave(participant, metric, at: Double(time) / 10, much, every: 0.000_001) }
            }
        }
        #expect(picture.people["carl"]?.waves["ecg"]?.count == 12)
        let bytes = picture.people.values.flatMap { $0.waves.values.joined() }.reduce(0) { $0 + $1.samples.base64.utf8.count }
        #expect(bytes <= 24 << 20 && bytes <= picture.order.bytes)
        for participant in ["anna", "ben"] { #expect((picture.people[participant]?.sampleBytes ?? .max) <= 4 << 20) }
    }

    @Test("of a block longer than the picture its end stays; many who send much are 24 MB together, the oldest blocks of anybody go first")
    func bounded() {
        var picture = LivePicture()
        let long = LivePicture.Block(
            metric: "ecg", source: "s", time: Timestamp(seconds: 0), period: 0.01, samples: (0..<100_000).map(Double.init), unit: "mV")
        #expect(long.samples.count == 1200 && long.time.seconds == 988 && long.end.seconds == 1000)
        let much = EncodedSamples([Double](repeating: 1, count: 400_000))
        for number in 0..<40 {
            _ = picture.take(
                LivePicture.Block(
                    metric: "ecg", source: "s", time: Timestamp(seconds: 0), period: 0.000_001, samples: much, unit: "mV"),
                of: "p\(number)")
        }
        #expect(picture.order.bytes <= 24 << 20 && picture.order.bytes > 22 << 20)
        #expect(picture.people["p0"]?.waves.isEmpty == true && picture.people["p39"]?.waves["ecg"]?.count == 1)
        // Blocks that are hardly longer than what is kept beside them count with that.
        for number in 0..<200_000 {
            _ = picture.take(
                LivePicture.Block(
                    metric: "ecg", source: "s", time: Timestamp(seconds: 5), period: 1, samples: EncodedSamples([1]), unit: "mV"),
                of: "q\(number % 100)")
        }
        let blocks = picture.people.values.reduce(0) { $0 + ($1.waves["ecg"]?.count ?? 0) }
        #expect(blocks < 100_000 && picture.order.bytes <= 24 << 20)
        for name in Array(picture.people.keys) { _ = picture.forget(name) }
        #expect(picture.order.bytes == 0)
    }

    @Test("a waveform that has been silent for a minute is in the picture no more")
    func silent() {
        var picture = LivePicture()
        let began = ContinuousClock.now
        func take(_ metric: String, after seconds: Double) {
            _ = picture.take(
                LivePicture.Block(
                    metric: metric, source: "s", time: Timestamp(seconds: seconds), period: 0.01, samples: EncodedSamples([1, 2]),
                    unit: "mV"),
                of: "anna", now: began + .seconds(seconds))
        }
        take("ecg", after: 0)
        take("pleth", after: 59)
        #expect(picture.people["anna"]?.waves.count == 2)
        take("pleth", after: 61)
        #expect(picture.people["anna"]?.waves.keys.sorted() == ["pleth"])
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

    @Test("a value that was removed is in no snapshot any more, and the timeline is asked once more for the one before it")
    func removed() {
        let hub = LiveHub()
        let value = LivePicture.Value(time: Timestamp(seconds: 100), source: "manual.ada", content: .value(720), unit: "kg")
        hub.take(remembered: value, "body-weight", of: "anna")
        #expect(hub.shouldFill("anna") && !hub.shouldFill("anna"))
        let access = Viewer.Access(
            account: Account(name: "c", roles: [.carer], participants: ["anna"]), pseudonyms: Pseudonyms(secret: "s"), waves: [])
        #expect(hub.snapshot(access, now: 200).contains("720"))
        let viewer = hub.add(access)
        _ = viewer.take { _ in "first" }
        hub.forget("heart-rate", of: "anna")
        #expect(viewer.take { _ in "second" } == [])
        hub.forget("body-weight", of: "anna")
        #expect(viewer.take { _ in "second" } == [.init(name: "snapshot", data: "second")])
        #expect(!hub.snapshot(access, now: 200).contains("720") && hub.shouldFill("anna"))
        hub.remove(viewer)
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
