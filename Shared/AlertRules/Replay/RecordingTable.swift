import VigilSchema

/// Reads a recording in CSV: `participant-id`, `timestamp` and a column a metric. Counts what cannot be read.
struct RecordingTable {
    /// The reason why something was left out.
    private enum Omission: Hashable, Comparable {
        case unknownColumn(String), cells, participant, time
        case number(String), text(String), implausible(String)

        var words: String {
            switch self {
            case .unknownColumn(let name): "column \"\(name)\" is no metric"
            case .cells: "rows with another number of cells than the header"
            case .participant: "rows without a participant"
            case .time: "rows whose timestamp is no Unix time in seconds"
            case .number(let name): "values of \(name) that are no numbers"
            case .text(let name): "values of \(name) that are none of its texts"
            case .implausible(let name): "values of \(name) outside its plausible range"
            }
        }
    }

    /// Column names of the CSV import's home format that differ from the metrics'.
    private static let columns = [
        "eda": "skin-conductance", "temperature": "skin-temperature", "spo2": "oxygen-saturation", "bp-systolic": "systolic-pressure",
        "bp-diastolic": "diastolic-pressure", "weight-kg": "body-weight", "bmi": "body-mass-index",
    ]

    private let path: String
    private let width: Int
    private let participant: Int
    private let time: Int
    private var metrics: [(column: Int, metric: MetricDefinition)] = []
    private var readings: [ReplayReading] = []
    private var rows = 0
    private var omitted: [Omission: (count: Int, line: Int)] = [:]

    init(_ header: Substring, line: Int, path: String) throws(RecordingError) {
        let names = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard let participant = names.firstIndex(of: "participant-id"), let time = names.firstIndex(of: "timestamp") else {
            throw RecordingError(description: "\(path):\(line): the header needs participant-id and timestamp")
        }
        (self.path, width, self.participant, self.time) = (path, names.count, participant, time)
        for (column, name) in names.enumerated() where column != participant && column != time {
            let metric = MetricCatalogue.standard.definition(named: Self.columns[name] ?? name)
            if let metric, metric.kind != .waveform { metrics.append((column, metric)) } else { omit(.unknownColumn(name), line) }
        }
        guard !metrics.isEmpty else { throw RecordingError(description: "\(path):\(line): no column is a metric of the catalogue") }
    }

    mutating func read(_ line: Substring, number: Int) {
        rows += 1
        let cells = line.split(separator: ",", omittingEmptySubsequences: false)
        guard cells.count == width else { return omit(.cells, number) }
        guard !cells[participant].isEmpty else { return omit(.participant, number) }
        guard let seconds = Double(decimal: cells[time]) else { return omit(.time, number) }
        for (column, metric) in metrics where !cells[column].isEmpty {
            guard let value = value(cells[column], metric, number) else { continue }
            readings.append(
                ReplayReading(
                    participant: String(cells[participant]), metric: metric.name, time: Timestamp(seconds: seconds).microseconds,
                    value: value))
        }
    }

    private mutating func value(_ cell: Substring, _ metric: MetricDefinition, _ line: Int) -> ReplayReading.Value? {
        if metric.kind == .text {
            if !metric.vocabulary.isEmpty, !metric.vocabulary.contains(String(cell)) {
                omit(.text(metric.name), line)
                return nil
            }
            return .text(String(cell))
        }
        guard let number = Double(decimal: cell) else {
            omit(.number(metric.name), line)
            return nil
        }
        guard metric.plausible?.contains(number) ?? true else {
            omit(.implausible(metric.name), line)
            return nil
        }
        return .number(number)
    }

    private mutating func omit(_ omission: Omission, _ line: Int) {
        omitted[omission, default: (0, line)].count += 1
    }

    /// - Throws: where rows came and none could be read.
    func finish() throws(RecordingError) -> Recording {
        let omissions = omitted.sorted { $0.key < $1.key }.map { omission, index in
            "\(path):\(index.line): \(omission.words)" + (index.count > 1 ? ": \(index.count), this is the first" : "")
        }
        guard rows == 0 || !readings.isEmpty else {
            throw RecordingError(description: (["\(path): nothing of \(rows) rows can be read"] + omissions).joined(separator: "; "))
        }
        return Recording(readings: readings, omissions: omissions)
    }
}
