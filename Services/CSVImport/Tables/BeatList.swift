import VigilSchema

/// RR intervals as Kubios reads and Elite HRV writes them: a number a line, without a name, a unit or a time.
struct BeatList: Sendable {
    /// The columns of the table, as any table has them.
    static let header = ["timestamp", "rr interval"]
    private static let milliseconds = 200.0...3000.0
    private static let least = 3

    /// The start in microseconds, on the wearer's clock where `zone` is none.
    private let start: Int64
    private let zone: Int16
    private let scale: Double

    /// Nil for other content.
    /// - Parameters:
    ///   - name: the file's, which may tell when the recording began: `2026-03-05 07-12-10.txt`.
    ///   - start: when the user says that it began, in Unix seconds.
    /// - Throws: `ImportError` where nothing tells when it began.
    init?(_ records: [[String]], name: String, start: Double?) throws(ImportError) {
        let numbers = records.compactMap { $0.count == 1 ? Double(decimal: $0[0].trimmed) : nil }
        guard numbers.count == records.count, numbers.count >= BeatList.least else { return nil }
        guard let scale = [1.0, 1000].first(where: { scale in numbers.allSatisfy { BeatList.milliseconds.contains($0 * scale) } }) else {
            return nil
        }
        self.scale = scale
        if let start, let moment = (start * 1_000_000).microseconds {
            (self.start, zone) = (moment, 0)
        } else if let moment = BeatList.time(in: name) {
            (self.start, zone) = (moment, ParsedTime.noZone)
        } else {
            throw ImportError(
                .ambiguous,
                "\(name) holds numbers without a name, perhaps intervals between heart beats, and does not say when they were measured: "
                    + "say by --session-start, in Unix seconds, when the recording began")
        }
    }

    /// The date and time in a file's name, as microseconds of a clock.
    private static func time(in name: String) -> Int64? {
        let groups = name.split { $0 == "/" || $0 == "!" }.last?.split { !$0.isNumber } ?? []
        guard groups.count >= 6, let first = groups.indices.first(where: { groups[$0].count == 4 }), first + 6 <= groups.count else {
            return nil
        }
        let parts = groups[first..<first + 6].map(String.init)
        guard parts.dropFirst().allSatisfy({ $0.count == 2 }), var parser = try? TimeParser(TimeFormat.iso8601, zone: nil) else {
            return nil
        }
        return parser.parse("\(parts[0])-\(parts[1])-\(parts[2]) \(parts[3]):\(parts[4]):\(parts[5])")?.microseconds
    }

    /// Each interval with the moment at which it ends.
    func rows() -> ([String]) -> [String]? {
        var elapsed = 0.0
        return { texts in
            guard let number = texts.first.flatMap({ Double(decimal: $0) }), let moment = (elapsed + number * scale * 1000).microseconds
            else { return ["", texts.joined(separator: " ")] }
            elapsed = Double(moment)
            return [ListRowsSource.text(start + moment, zone), (number * scale).short]
        }
    }
}
