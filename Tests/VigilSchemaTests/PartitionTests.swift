import Testing
import VigilSchema

@Suite("Partition")
struct PartitionTests {
    // Computed with an independent FNV-1a-64 (Python, from the published constants).
    @Test(
        "agrees with the published vectors",
        arguments: [
            ("", "25"),
            ("12", "0a"),
            ("participant-1", "38"),
            ("a", "0c"),
            ("A01", "1f"),
            ("wearer-7", "01"),
            ("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "25"),
        ])
    func vectors(participant: String, partition: String) {
        #expect(Partition(participant: participant).description == partition)
    }

    @Test("spreads a thousand participants over all 64")
    func spread() {
        #expect(Set((0..<1000).map { Partition(participant: "p\($0)") }).count == 64)
    }
}
