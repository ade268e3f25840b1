import VigilSchema

/// One JSON array of groups, each as in a canonical batch.
struct JSONExport: ExportEncoder {
    private var isFirst = true

    mutating func begin(_ output: inout [UInt8]) { output.append(UInt8(ascii: "[")) }

    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) {
        output.append(contentsOf: (isFirst ? "\n" : ",\n").utf8)
        isFirst = false
        output.append(contentsOf: BatchEncoder.encode(group))
    }

    mutating func end(_ output: inout [UInt8]) { output.append(contentsOf: "\n]\n".utf8) }
}
