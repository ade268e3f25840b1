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

    @Test("has a number from 0 to 63, which two lower-case hexadecimal digits spell, and no other")
    func numbers() throws {
        #expect(Partition.count == 64 && Partition.all.map { Int($0.number) } == Array(0..<64))
        for number in [0, 9, 10, 15, 16, 63] {
            let partition = try #require(Partition(number: number))
            #expect(Partition(partition.description) == partition && partition.description.count == 2)
        }
        #expect(["00", "09", "0f", "10", "3f"].map { Partition($0)?.number } == [0, 9, 15, 16, 63])
        #expect(Partition(number: 64) == nil && Partition(number: -1) == nil)
        for text in ["40", "ff", "0F", "3", "", "000", "0g", "-1", "+1", "0/", "0:", "0`"] { #expect(Partition(text) == nil, "\(text)") }
    }

    @Test("sorts by its number")
    func order() {
        #expect(Partition.all.shuffled().sorted() == Partition.all)
        #expect(!(Partition.all[5] < Partition.all[5]))
    }
}
