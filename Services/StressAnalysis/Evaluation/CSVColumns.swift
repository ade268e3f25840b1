import Foundation

/// Columns of numbers in a text file, as far as the public data sets use them.
enum CSVColumns {
    /// The rows of a file with a header, as numbers by the header's names; a cell that is none becomes NaN.
    static func named(_ file: URL) throws -> [String: [Double]] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        guard let header = lines.first else { return [:] }
        let names = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var columns = [[Double]](repeating: [], count: names.count)
        for line in lines.dropFirst() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            for index in names.indices { columns[index].append(index < cells.count ? Double(cells[index]) ?? .nan : .nan) }
        }
        return Dictionary(zip(names, columns), uniquingKeysWith: { first, _ in first })
    }

    /// A file of an Empatica E4: start (Unix seconds), rate (Hz), then a value a line.
    static func empatica(_ file: URL) throws -> (start: Double, rate: Double, values: [Double]) {
        let numbers = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).map { Double($0) ?? .nan }
        return numbers.count > 2 ? (numbers[0], numbers[1], Array(numbers.dropFirst(2))) : (0, 1, [])
    }
}
