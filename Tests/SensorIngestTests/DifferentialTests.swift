import SecondOpinion
import SensorIngest
import Testing
import VigilSchema

@Suite("A second, slow decoder")
struct DifferentialTests {
    /// A small generator with a fixed seed, so that a failure can be repeated (Vigna, splitmix64).
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// Bytes that matter to the formats.
    private static let telling = Array(#"{}[]":,\-+.0123456789eEtfnu# "#.utf8) + [0, 0x0A, 0x80, 0xC3, 0xFF, 0x9F, 0xFB]

    @Test("agrees with every reading that is taken from the corpus", arguments: CorpusCase.all)
    func corpus(document: CorpusCase) {
        #expect(SecondOpinion.objection(to: document.bytes) == nil)
    }

    @Test("agrees with every reading that is taken from damaged documents")
    func damaged() {
        var random = Seeded(state: 20_170_119)
        for document in CorpusCase.all where document.bytes.count < 600 {
            for _ in 0..<60 {
                let bytes = damage(document.bytes, &random)
                if let objection = SecondOpinion.objection(to: bytes) {
                    Issue.record("\(objection) in \(String(decoding: bytes, as: UTF8.self))")
                }
            }
        }
    }

    private func damage(_ bytes: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let byte = Self.telling.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            case 2: bytes.remove(at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
