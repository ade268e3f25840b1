import Foundation
import Signals
import Testing
import VigilSchema

@testable import StressAnalysis

@Suite("What is handed over of a person")
struct ParticipantSnapshotTests {
    /// FNV-1a of 64 bits, the lowest byte first, as its authors have it: the hash of "a" is AF63DC4C8601EC8C.
    private func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in bytes {
            hash ^= UInt64(byte)
            hash = hash &* 1_099_511_628_211
        }
        return withUnsafeBytes(of: hash.littleEndian) { Array($0) }
    }

    @Test("a snapshot is its layout's number, the checksum of what follows, and the participant as JSON")
    func snapshot() throws {
        #expect(checksum([UInt8(ascii: "a")]) == [0x8C, 0xEC, 0x01, 0x86, 0x4C, 0xDC, 0x63, 0xAF])
        let person = Participant(profile: StressProfile(), received: Timestamp(seconds: WearerFeed.start))
        let bytes = try EngineSnapshot.encode(person)
        #expect(bytes[0] == 2 && Array(bytes[1..<9]) == checksum(bytes[9...]))
        #expect(try JSONSerialization.jsonObject(with: Data(bytes[9...])) is [String: Any])
        #expect(EngineSnapshot.decode(bytes)?.lastReceived == person.lastReceived)
        for cut in [0, 1, 8, 9, bytes.count - 1] { #expect(EngineSnapshot.decode(Array(bytes.prefix(cut))) == nil) }
        #expect(EngineSnapshot.decode([2] + checksum([])) == nil)
    }

    /// What was added since is nil there: the samples that the skin conductance misses, the end of the acceleration, the holes in the breathing.
    @Test("a snapshot of the version before is read, which knew nothing of holes and of the acceleration's end")
    func formerSnapshot() throws {
        var person = Participant(profile: StressProfile(), received: Timestamp(seconds: WearerFeed.start))
        func block(_ metric: String, _ second: Double, _ samples: [Double]) -> Observation {
            Observation(
                metric: metric, time: Timestamp(seconds: WearerFeed.start + second), content: .samples(samples, period: 0.04), unit: "1")
        }
        let breath = { (second: Double) in (0..<25).map { sin(2 * .pi * (second + Double($0) / 25) / 4) } }
        for second in 0..<60 where second < 30 || second >= 40 {
            person.take(
                ObservationGroup(
                    participant: "p1", source: "belt", received: Timestamp(seconds: WearerFeed.start + Double(second)),
                    observations: [
                        block("airflow", Double(second), breath(Double(second))),
                        block("skin-conductance", Double(second), Array(repeating: 2, count: 25)),
                        block("acceleration-x", Double(second), Array(repeating: 0, count: 25)),
                    ]))
        }
        let whole = try EngineSnapshot.encode(person)
        var content = try #require(try JSONSerialization.jsonObject(with: Data(whole.dropFirst(9))) as? [String: Any])
        var analysis = try #require(content["analysis"] as? [String: Any])
        var breaths = try #require(analysis["breaths"] as? [[String: Any]])
        #expect(analysis.removeValue(forKey: "motionEnd") != nil && breaths[0].removeValue(forKey: "holes") != nil)
        (analysis["breaths"], content["analysis"]) = (breaths, analysis)
        let former = try JSONSerialization.data(withJSONObject: content)
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
        var read = try decoder.decode(Participant.self, from: former)
        #expect(!read.dueObservations(defaultMode: .enhanced).observations.isEmpty)
        #expect(EngineSnapshot.decode(whole) != nil)
    }
}
