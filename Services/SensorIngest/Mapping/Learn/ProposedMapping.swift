import VigilSchema

/// A mapping in the making, for topics that look alike.
struct ProposedMapping: Sendable {
    /// One reading: where its value stands, and what it is guessed to be.
    struct Reading: Sendable {
        let place: String
        let guess: MetricGuess
    }

    private(set) var topics: [String]
    let format: MappingFormat
    var readings: [Reading]
    var questions: [String]
    private let others: [String]
    private let numbers: [String]
    private var time: String?
    private let device: String?
    /// The level that differs between the topics.
    private var level: Int?

    /// For a topic whose messages were heard.
    init(topic: String, format: MappingFormat, numbers: [String], others: [String]) {
        topics = [topic]
        self.format = format
        self.numbers = numbers
        let time = (numbers + others).first { Self.times.contains($0.lowercased()) }
        let device = (others + numbers).first { Self.devices.contains($0.lowercased()) }
        (self.time, self.device) = (time, device)
        let values = numbers.filter { $0 != time && $0 != device }
        let levels = topic.split(separator: "/").reversed().map(String.init)
        let readings: [Reading] = values.compactMap { place in
            let names = format == .plain ? Array(levels.prefix(3)) : [Self.lastKey(of: place), place]
            return MetricGuess(names: names, unit: nil).map { Reading(place: place, guess: $0) }
        }
        self.readings = readings
        let taken = Set(readings.map(\.place))
        self.others = others.filter { $0 != time && $0 != device } + values.filter { !taken.contains($0) }
        let unknown = values.filter { !taken.contains($0) && !Self.technical.contains(Self.lastKey(of: $0).lowercased()) }
        let isMeasured = "is one of these a measurement of a person? \(unknown.prefix(12).joined(separator: ", "))"
        questions =
            format == .json && !unknown.isEmpty ? ["\(topic): \(isMeasured)"] : readings.isEmpty ? ["\(topic): what does it measure?"] : []
    }

    /// For a sensor that was announced.
    init(_ entity: DiscoveredEntity) {
        topics = [entity.topic]
        format = entity.path == nil ? .plain : .json
        (numbers, others, time, device) = ([], [], nil, nil)
        let guess = entity.objection == nil ? MetricGuess(names: entity.names, unit: entity.unit, deviceClass: entity.deviceClass) : nil
        readings = guess.map { [Reading(place: entity.path ?? ".", guess: $0)] } ?? []
        let name = entity.names.first ?? entity.topic
        questions = guess == nil ? ["\(entity.topic): what is \(name)\(entity.objection.map { "? \($0)" } ?? "?")"] : []
    }

    /// Returns whether another is the same but for one level of the topic.
    func takes(_ other: ProposedMapping) -> Bool {
        guard format == other.format, numbers.sorted() == other.numbers.sorted(),
            readings.map(\.guess.metric) == other.readings.map(\.guess.metric),
            let level = Self.difference(topics[0], other.topics[0])
        else { return false }
        return self.level == nil || self.level == level
    }

    /// Takes another's topic in.
    mutating func join(_ other: ProposedMapping) {
        level = Self.difference(topics[0], other.topics[0])
        topics += other.topics
    }

    private static func difference(_ first: String, _ second: String) -> Int? {
        let a = first.split(separator: "/", omittingEmptySubsequences: false),
            b = second.split(separator: "/", omittingEmptySubsequences: false)
        guard a.count == b.count else { return nil }
        let different = a.indices.filter { a[$0] != b[$0] }
        return different.count == 1 && different[0] > 0 ? different[0] : nil
    }

    /// The levels by which people may be told apart, as far as topics say.
    var identifiers: [String] {
        guard device == nil else { return [] }
        return topics.map { topic in
            let levels = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            return levels[level ?? max(0, levels.count - 2)]
        }
    }

    /// Its lines in a mapping file.
    func lines(name: String) -> [String] {
        var levels = topics[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let place = level ?? max(0, levels.count - 2)
        levels[place] = levels.count == 1 ? levels[place] : "{sensor}"
        let origin = device.map { "\"\($0)\"" } ?? (levels.count == 1 ? nil : "\"@sensor\"")
        let filter = level == nil ? topics[0] : levels.joined(separator: "/")
        // One topic alone stays as it is: what stands beside it was not heard.
        let exact = level == nil
        let person = exact && device == nil ? "\"unknown\"" : "{from: \(origin ?? "\".\""), table: \"people\", else: \"unknown\"}"
        let source =
            exact && device == nil
            ? Self.quoted(Name.valid(Self.spoken(topics[0])))
            : device == nil ? "\"@sensor\"" : "{from: \(origin ?? "\".\""), else: \"learned\"}"
        var lines = [
            "    {", "      name: \(Self.quoted(name)),", "      topics: [\(Self.quoted(filter))],",
        ]
        if format != .json { lines.append("      format: \(Self.quoted(format.rawValue)),") }
        lines.append("      participant: \(person),\(exact && device == nil ? "  // ASK: whose is it?" : "")")
        lines.append("      device: \(source),")
        if let time { lines.append("      time: {from: \(Self.quoted(time)), zone: \"local\"},") }
        lines.append("      readings: [")
        for reading in readings {
            lines.append(
                "        {metric: \(Self.quoted(reading.guess.metric)), value: \(Self.quoted(reading.place)), unit: \(Self.quoted(reading.guess.unit))},  // GUESSED from \(Self.onOneLine(reading.guess.reason))"
            )
        }
        lines += ["      ],", "      ignore: [\(ignored.map(Self.quoted).joined(separator: ", "))],", "    },"]
        return lines
    }

    /// The first keys of what is left out.
    private var ignored: [String] {
        if numbers.isEmpty, format == .json { return ["*"] }
        var seen: Set<String> = []
        let used = Set(readings.map { Self.firstKey(of: $0.place) } + [time, device].compactMap(\.self).map(Self.firstKey))
        return others.map(Self.firstKey).filter { !used.contains($0) && seen.insert($0).inserted }
    }

    private static func firstKey(of place: String) -> String {
        place.hasPrefix("[\"") ? String(place.dropFirst(2).prefix { $0 != "\"" }) : String(place.prefix { $0 != "." && $0 != "[" })
    }

    private static func lastKey(of place: String) -> String {
        place.hasSuffix("\"]")
            ? String(place.dropLast(2).split(separator: "\"").last ?? "") : String(place.split(separator: ".").last ?? "")
    }

    private static func spoken(_ topic: String) -> String {
        String(topic.split(separator: "/").suffix(2).joined(separator: "-").prefix(64))
    }

    /// As JSON5 writes a text.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x2028 || scalar.value == 0x2029 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Without what would end a line or steer a terminal.
    static func onOneLine(_ text: String) -> String {
        String(
            text.unicodeScalars.map {
                (0x20..<0x7F).contains($0.value) || $0.value >= 0xA0 && $0.value & ~1 != 0x2028 ? Character($0) : " "
            })
    }

    private static let times: Set<String> = ["timestamp", "time", "ts", "date", "datetime", "measured_at", "created_at", "last_seen"]
    private static let devices: Set<String> = ["id", "mac", "device", "device_id", "deviceid", "address", "ble_addr", "serial"]
    private static let technical: Set<String> = [
        "rssi", "battery", "batt", "volt", "voltage", "linkquality", "lqi", "uptime", "packet", "txpower", "signal", "channel", "mac_type",
        "user", "count",
    ]
}
