import VigilSchema

/// Converts trainings in TCX and tracks in GPX to a table with a row per value. Places are no measurements and are left
/// out.
///
/// Sources: Garmin's schemas TrainingCenterDatabase v2 and ActivityExtension v2; GPX 1.1 with Garmin's
/// TrackPointExtension, whose element names other makers use, too.
struct TrainingXML: ByteSource {
    /// The columns of the table, which the profile `training-xml` reads.
    static let header = ["training time", "until", "metric", "value", "unit"]

    private static let deepest = 64

    private var tags: XMLTagReader
    private var pending = Array((CSVText.record(header, delimiter: ",") + "\n").utf8)
    private var taken = 0
    /// The names of the open elements.
    private var path: [String] = []
    private var sport = ""
    private var lap = Part()
    private var point: Part?

    /// A lap or a point: its time, and its values with their metrics and units.
    private struct Part {
        var time = ""
        var until = ""
        var values: [(metric: String, value: String, unit: String)] = []

        mutating func add(_ metric: String, _ value: String, _ unit: String) {
            if !value.isEmpty { values.append((metric, value, unit)) }
        }
    }

    /// Returns whether XML with this start is a training or a track.
    static func fits(_ start: [UInt8]) -> Bool {
        let text = String(decoding: start.prefix(4096), as: UTF8.self)
        return text.contains("<TrainingCenterDatabase") || text.contains("<gpx")
    }

    /// The training as a CSV file.
    static func file(_ file: ImportFile, _ open: @escaping @Sendable () throws(ImportError) -> any ByteSource) -> ImportFile {
        ImportFile(name: file.name) { () throws(ImportError) in TrainingXML(tags: XMLTagReader(try open())) }
    }

    init(tags: XMLTagReader) { self.tags = tags }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while taken == pending.count {
            pending = []
            taken = 0
            guard try step() else { return 0 }
        }
        let count = min(limit, pending.count - taken)
        for index in 0..<count { buffer[offset + index] = pending[taken + index] }
        taken += count
        return count
    }

    /// Takes the next tag; false at the end.
    private mutating func step() throws(ImportError) -> Bool {
        switch try tags.next() {
        case .finished: return false
        case .start:
            guard path.count < TrainingXML.deepest else { throw ImportError(.format, "its elements are nested too deep for a training") }
            path.append(String(tags.localName))
            begin(path[path.count - 1])
        case .end:
            if let name = path.popLast() { end(name, tags.textBefore.trimmed) }
        }
        return true
    }

    private mutating func begin(_ name: String) {
        switch name {
        case "Activity": sport = tags.attribute("Sport") ?? ""
        case "Lap": lap = Part(time: tags.attribute("StartTime") ?? "")
        case "Trackpoint", "trkpt": point = Part()
        default: break
        }
    }

    private mutating func end(_ name: String, _ text: String) {
        switch name {
        case "Trackpoint", "trkpt":
            if let point { write(point) }
            point = nil
        case "Lap":
            if !sport.isEmpty { lap.values.insert(("workout", sport, "1"), at: 0) }
            write(lap)
        default:
            if point == nil { endOfLap(name, text) } else { endOfPoint(name, text) }
        }
    }

    private mutating func endOfPoint(_ name: String, _ text: String) {
        switch name {
        case "Time", "time": point?.time = text
        case "Value" where path.last == "HeartRateBpm", "hr", "heartrate": point?.add("heart-rate", text, "/min")
        case "Cadence", "RunCadence", "cad", "cadence": point?.add("cadence", text, "/min")
        case "AltitudeMeters", "ele": point?.add("altitude", text, "m")
        case "DistanceMeters": point?.add("distance-covered", text, "m")
        case "Speed", "speed": point?.add("speed", text, "m/s")
        case "Watts", "power", "PowerInWatts": point?.add("power", text, "W")
        case "atemp": point?.add("ambient-temperature", text, "Cel")
        default: break
        }
    }

    private mutating func endOfLap(_ name: String, _ text: String) {
        switch (name, path.last) {
        case ("TotalTimeSeconds", "Lap"):
            lap.add("workout-duration", Double(decimal: text).map { ($0 / 60).short } ?? text, "min")
            if let seconds = Double(decimal: text) { lap.until = PolarTraining.later(lap.time, by: seconds) }
        case ("DistanceMeters", "Lap"): lap.add("workout-distance", text, "m")
        case ("Calories", "Lap"): lap.add("workout-energy", text, "kcal")
        case ("Value", "AverageHeartRateBpm"): lap.add("workout-heart-rate-mean", text, "/min")
        case ("Value", "MaximumHeartRateBpm"): lap.add("workout-heart-rate-greatest", text, "/min")
        default: break
        }
    }

    private mutating func write(_ part: Part) {
        for value in part.values {
            let cells = [part.time, part.until, value.metric, value.value, value.unit]
            pending += Array((CSVText.record(cells, delimiter: ",") + "\n").utf8)
        }
    }
}
