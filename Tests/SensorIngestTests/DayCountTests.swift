import Foundation
import MessageBus
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Counts of a day")
struct DayCountTests {
    private static let steps = DayCounts.Counter(metric: "steps")
    private static let day = Timestamp(seconds: 1_700_006_400)
    private static let nextDay = day.advanced(bySeconds: 86_400)

    /// The totals of counts, each at so many minutes after the first day began.
    private func totals(_ counts: [(minutes: Double, count: Double)]) -> [Double] {
        var known = DayCounts()
        return counts.map { minutes, count in
            let time = Self.day.advanced(bySeconds: minutes * 60)
            return known.total(Self.steps, count, day: time < Self.nextDay ? Self.day : Self.nextDay, at: time)
        }
    }

    @Test("follow the counter while it rises, and a small revision of it")
    func rising() { #expect(totals([(600, 5000), (610, 5100), (620, 5090), (630, 5090)]) == [5000, 5100, 5090, 5090]) }

    @Test("go on from the total where the counter begins anew, also twice")
    func reset() {
        #expect(totals([(600, 5000), (610, 12), (620, 300), (630, 7), (640, 9)]) == [5000, 5012, 5300, 5307, 5309])
    }

    @Test("take one small or large count between others for a stray")
    func stray() {
        #expect(totals([(600, 5000), (601, 100), (602, 5001), (603, 5002)]) == [5000, 5100, 5001, 5002])
        #expect(totals([(600, 8000), (601, 0), (602, 7990), (603, 8100)]) == [8000, 8000, 7990, 8100])
        #expect(totals([(600, 8000), (601, 65_535), (602, 8050), (603, 8100)]) == [8000, 65_535, 8050, 8100])
    }

    @Test("take no former count for a stray that comes back hours later")
    func later() { #expect(totals([(1430, 9000), (1442, 9003), (1446, 4), (1740, 10_000)]) == [9000, 3, 7, 10_003]) }

    @Test("add up a counter that passes its former count after a reset")
    func passing() { #expect(totals([(600, 1000), (610, 100), (700, 800), (800, 1500)]) == [1000, 1100, 1800, 2500]) }

    @Test("give the new day only the increase of a counter that goes on over midnight, and all of one that began anew")
    func midnight() {
        #expect(totals([(1430, 8000), (1445, 8010), (1460, 8050)]) == [8000, 10, 50])
        #expect(totals([(1430, 8000), (1445, 8010), (1460, 4)]) == [8000, 10, 14])
        #expect(totals([(1430, 8000), (1445, 20)]) == [8000, 20])
        #expect(totals([(1200, 300), (2040, 2000)]) == [300, 2000])
        // A counter that resets hours after our midnight.
        #expect(totals([(1350, 9000), (1450, 9010), (1740, 20)]) == [9000, 10, 30])
    }

    @Test("let a late message and one of a day before change nothing")
    func late() {
        #expect(totals([(600, 5000), (610, 5100), (605, 5050), (611, 5101)]) == [5000, 5100, 5100, 5101])
        #expect(totals([(1400, 9000), (1410, 20), (1500, 15), (1420, 25), (1501, 16)]) == [9000, 9020, 15, 9025, 16])
        #expect(totals([(1400, 9000), (1410, 20), (1500, 15), (1405, 5), (1501, 16)]) == [9000, 9020, 15, 9020, 16])
    }

    @Test("are bounded, and survive their notation")
    func bounded() throws {
        var counts = DayCounts()
        for part in 0..<100 {
            let counter = DayCounts.Counter(metric: "steps", part: "\(part)")
            #expect(counts.total(counter, 10, day: Self.day, at: Self.day) == 10)
        }
        let json = try counts.json
        #expect(json.utf8.count < 4096)
        #expect(DayCounts(json: json) == counts)
        #expect(DayCounts(json: "{") == nil)
    }

    // MARK: - Messages

    private static let mapping = #"""
        {mappings: [{name: "m", topics: ["band"], participant: "anna", device: "band", readings: [{metric: "steps", value: "steps"}]}]}
        """#

    /// The steps of messages with a mapping, each as its day's beginning in seconds, zone and value.
    private func read(_ payloads: [String], zone: String, after start: Double = 0, rules: DeviceRules = DeviceRules()) throws -> [String] {
        let set = try MappingFile.parse(Self.mapping)
        var reader = MessageReader(deviceRules: rules, mappings: MappingRules(set))
        let policy = DevicePolicy(zone: try #require(DayZone(identifier: zone)))
        return payloads.enumerated().flatMap { number, payload in
            // 2023-11-15, 22:30 UTC.
            let received = Timestamp(seconds: 1_700_087_400 + start + Double(number) * 600)
            let result = reader.read(
                [IncomingMessage(topic: "band", payload: Array(payload.utf8))], received: received, policy: policy)
            reader.commit()
            return result.batches.flatMap { $0.batch.groups.flatMap(\.observations) }.map { reading in
                "\(Int(reading.time.seconds)) \(reading.zone.map { "\($0)" } ?? "-") \(reading.content)"
            }
        }
    }

    @Test("belong to the wearer's day, not to the machine's")
    func wearersDay() throws {
        // In Moscow it is half past one of the next day already.
        #expect(try read([#"{"steps":40}"#], zone: "Europe/Moscow") == ["1700082000 180 value(40.0)"])
        #expect(try read([#"{"steps":40}"#], zone: "America/New_York") == ["1700024400 -300 value(40.0)"])
        #expect(try read([#"{"steps":40}"#], zone: "UTC") == ["1700006400 - value(40.0)"])
    }

    @Test("lose nothing where a tracker restarts")
    func restart() throws {
        let lines = try read([#"{"steps":4000}"#, #"{"steps":12}"#, #"{"steps":30}"#], zone: "UTC")
        #expect(lines.map { $0.split(separator: " ")[2] } == ["value(4000.0)", "value(4012.0)", "value(4030.0)"])
    }

    @Test("leave out a count that is refused, by its size or by its time")
    func refused() throws {
        let lines = try read([#"{"steps":8000}"#, #"{"steps":4294967295}"#, #"{"steps":8050}"#], zone: "UTC")
        #expect(lines.map { $0.split(separator: " ")[2] } == ["value(8000.0)", "value(8050.0)"])
    }

    @Test("of a person who was erased are forgotten")
    func erased() throws {
        let rules = DeviceRules()
        _ = try read([#"{"steps":4000}"#, #"{"steps":12}"#], zone: "UTC", rules: rules)
        #expect(rules.counts(of: DeviceAddress(participant: "anna", device: "band")) != nil)
        rules.erase(participant: "anna")
        #expect(rules.counts(of: DeviceAddress(participant: "anna", device: "band")) == nil)
        #expect(try read([#"{"steps":30}"#], zone: "UTC", after: 1200, rules: rules) == ["1700006400 - value(30.0)"])
    }

    @Test("are known after a restart of ingest")
    func registry() async throws {
        let folder = try TemporaryFolder(), rules = DeviceRules()
        _ = try read([#"{"steps":4000}"#, #"{"steps":12}"#], zone: "UTC", rules: rules)
        let registry = try DeviceRegistry(path: folder.path("devices.sqlite"))
        try await registry.write(rules)
        let later = DeviceRules(rules: try await registry.rules())
        let lines = try read([#"{"steps":30}"#], zone: "UTC", after: 1200, rules: later)
        #expect(lines == ["1700006400 - value(4030.0)"])
    }
}
