import SensorIngest
import Testing
import VigilSchema

@Suite("Batch assembler")
struct BatchAssemblerTests {
    private let time = Timestamp(seconds: 1_700_000_000)

    private func value(_ number: Int) -> Observation {
        Observation(metric: "heart-rate", time: Timestamp(seconds: Double(number)), content: .value(Double(number)), unit: "/min")
    }

    @Test("keeps a device's order and sorts participants into their partitions")
    func order() {
        var assembler = BatchAssembler()
        let addresses = (0..<50).map { DeviceAddress(participant: "p\($0)", device: "d") }
        for number in 0..<1000 { assembler.add(value(number), from: addresses[number % 50], session: nil, received: time) }
        let closed = assembler.finish(at: time)
        var seen: [String: [Double]] = [:]
        for closed in closed {
            for group in closed.batch.groups {
                #expect(closed.topic == .readings(Partition(participant: group.participant)))
                seen[group.participant, default: []] += group.observations.map(\.time.seconds)
            }
        }
        #expect(seen.count == 50)
        for (participant, times) in seen {
            let first = Double(participant.dropFirst())!
            #expect(times == stride(from: first, to: 1000, by: 50).map { $0 })
        }
    }

    @Test("closes a batch at its count, and one of many samples at its size")
    func limits() {
        let address = DeviceAddress(participant: "a", device: "d")
        var assembler = BatchAssembler(limits: .init(bytes: 50_000, count: 100))
        for number in 0..<250 { assembler.add(value(number), from: address, session: nil, received: time) }
        #expect(assembler.finish(at: time).map(\.batch.count) == [100, 100, 50])
        let block = Observation(metric: "ecg", time: time, content: .samples(Array(repeating: 0.5, count: 2000), period: 0.004), unit: "mV")
        for _ in 0..<7 { assembler.add(block, from: address, session: nil, received: time) }
        let closed = assembler.finish(at: time)
        #expect(closed.map(\.batch.count) == [3, 3, 1])
        #expect(closed.allSatisfy { $0.topic == .waveforms(address.partition) })
    }

    @Test("splits a very long block without losing a sample or moving one in time")
    func split() {
        let address = DeviceAddress(participant: "a", device: "d")
        let samples = (0..<20_000).map(Double.init)
        var assembler = BatchAssembler()
        assembler.add(
            Observation(metric: "ecg", time: time, content: .samples(samples, period: 0.002), unit: "mV"), from: address, session: "1",
            received: time)
        let parts = assembler.finish(at: time).flatMap(\.batch.groups).flatMap(\.observations)
        var rebuilt: [Double] = []
        for part in parts {
            guard case .samples(let samples, 0.002) = part.content else { Issue.record("not samples"); return }
            #expect(part.time == time.advanced(bySeconds: Double(rebuilt.count) * 0.002))
            rebuilt += samples
        }
        #expect(rebuilt == samples)
        #expect(parts.count == 3)
    }
}
