/// Converts a training session of Polar's account archive (`training-session….json`) to a table with a row per value.
///
/// Times are the wearer's, with the offset from UTC. Both forms are read: samples as channels with an interval, in
/// which a bare `NaN` means nothing; and, until about 2022, lists of times and values.
struct PolarTraining {
    /// The columns of the table, which `BuiltIn.polarTraining` reads.
    static let header = ["polar time", "until", "metric", "value", "unit", "device"]

    private let device: String
    private var offset = ""
    private(set) var rows: [[String]] = []

    /// Returns whether JSON with this start is a training session.
    static func fits(_ start: [UInt8]) -> Bool {
        let text = String(decoding: start, as: UTF8.self)
        return text.contains("\"exercises\"") && (text.contains("\"timezoneOffsetMinutes\"") || text.contains("\"timezoneOffset\""))
    }

    /// The session as a CSV file.
    static func file(_ file: ImportFile, _ open: @escaping @Sendable () throws(ImportError) -> any ByteSource) -> ImportFile {
        ImportFile(name: file.name) { () throws(ImportError) in
            var scanner = JSONScanner(try open(), name: file.name)
            let session = PolarTraining(try scanner.value())
            let lines = ([header] + session.rows).map { CSVText.record($0, delimiter: ",") + "\n" }
            return MemorySource(Array(lines.joined().utf8))
        }
    }

    init(_ session: JSONNode) {
        device = session.at("product", "modelName")?.text ?? session["deviceId"]?.text ?? "polar"
        for exercise in session["exercises"]?.elements ?? [] { take(exercise, session) }
    }

    private mutating func take(_ exercise: JSONNode, _ session: JSONNode) {
        let minutes = [exercise, session].lazy.compactMap { ($0["timezoneOffsetMinutes"] ?? $0["timezoneOffset"])?.number }.first
        offset = minutes.flatMap { Int(exactly: $0) }.map(Self.offset) ?? ""
        let start = (exercise["startTime"] ?? session["startTime"])?.text ?? ""
        let stop = (exercise["stopTime"] ?? session["stopTime"])?.text
        let sport = exercise["sport"].flatMap { $0.text ?? $0["id"]?.text.map { "sport \($0)" } }
        add(start, "workout", sport, "1", until: stop)
        let duration = (exercise["durationMillis"] ?? session["durationMillis"])?.number.map { $0 / 60_000 }
        add(start, "workout-duration", duration?.short, "min", until: stop)
        add(start, "workout-distance", (exercise["distanceMeters"] ?? exercise["distance"])?.text, "m", until: stop)
        add(start, "workout-energy", (exercise["kiloCalories"] ?? exercise["calories"] ?? session["calories"])?.text, "kcal", until: stop)
        add(start, "workout-heart-rate-mean", (exercise.at("heartRate", "avg") ?? session["hrAvg"])?.text, "/min", until: stop)
        add(start, "workout-heart-rate-greatest", (exercise.at("heartRate", "max") ?? session["hrMax"])?.text, "/min", until: stop)
        takeSamples(exercise["samples"], from: start)
    }

    private mutating func takeSamples(_ samples: JSONNode?, from start: String) {
        for channel in samples?["samples"]?.elements ?? [] {
            guard let type = channel["type"]?.text, let interval = channel["intervalMillis"]?.number, interval > 0 else { continue }
            for (index, value) in (channel["values"]?.elements ?? []).enumerated() where value.text != nil {
                add(Self.later(start, by: Double(index) * interval / 1000), Self.name(type), value.text, Self.unit(type))
            }
        }
        guard case .object(let members)? = samples else { return }
        for member in members where member.name != "samples" {
            for sample in member.value.elements {
                guard let time = sample["dateTime"]?.text else { continue }
                add(time, Self.name(member.name), sample["value"]?.text, Self.unit(member.name))
            }
        }
    }

    private mutating func add(_ time: String, _ metric: String, _ value: String?, _ unit: String, until: String? = nil) {
        guard let value, !value.isEmpty else { return }
        rows.append([time + offset, until.map { $0 + offset } ?? "", metric, value, unit, device])
    }

    /// The time some seconds later, with its zone if it has one. An unreadable time stays unchanged, and its row is refused.
    static func later(_ time: String, by seconds: Double) -> String {
        var parser = try? TimeParser(TimeFormat.iso8601, zone: nil)
        guard seconds > 0, let start = parser?.parse(time) else { return time }
        // Too long after the start for a number: without a time the row is refused.
        guard let elapsed = (seconds * 1_000_000).microseconds else { return "" }
        return ListRowsSource.text(start.microseconds + elapsed, start.zone)
    }

    private static func offset(_ minutes: Int) -> String {
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        return "\(minutes < 0 ? "-" : "+")\(hours < 10 ? "0" : "")\(hours):\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func name(_ channel: String) -> String {
        switch channel.lowercased().filter(\.isLetter) {
        case "heartrate": "heart-rate"
        case "temperature": "ambient-temperature"
        // From the start on.
        case "distance": "distance-covered"
        default: HealthType.hyphenated(channel == channel.uppercased() ? channel.lowercased() : channel)
        }
    }

    private static func unit(_ channel: String) -> String {
        switch channel.lowercased().filter(\.isLetter) {
        case "heartrate", "cadence": "/min"
        case "temperature": "Cel"
        case "speed": "km/h"
        case "distance", "altitude": "m"
        default: "1"
        }
    }
}
