/// The events that wait for one viewer: bounded however slowly the viewer takes it. A value.
///
/// Of a metric and of an alert only the newest waits; waveforms wait up to two seconds and are then dropped, which a `gap` tells;
/// with too many alerts waiting everything is replaced by a new snapshot.
struct ViewerMailbox {
    /// An event of the stream.
    struct Event: Equatable {
        let name: String
        let data: String
    }

    private struct Key: Hashable {
        let participant: String
        let name: String
    }

    private struct Wave {
        let participant: String
        let block: String
    }

    static let mostWaves = 256
    static let mostWaveBytes = 256 << 10
    static let mostAlerts = 500
    private var values: [Key: String] = [:]
    private var alerts: [Key: String] = [:]
    private var waves: [Wave] = []
    private var waveBytes = 0
    private var gaps: Set<String> = []
    private var modules: [String: String] = [:]
    private var beats: Double?
    private(set) var wantsSnapshot = true
    /// The session has ended: that is the last thing to be sent.
    private(set) var isEnding = false

    var isEmpty: Bool {
        !wantsSnapshot && !isEnding && beats == nil && values.isEmpty && alerts.isEmpty && waves.isEmpty && gaps.isEmpty && modules.isEmpty
    }

    mutating func put(value: String, _ metric: String, of participant: String) {
        guard !wantsSnapshot else { return }
        values[Key(participant: participant, name: metric)] = value
    }

    /// - Parameter alert: JSON, or `null` where it is over.
    mutating func put(alert: String, _ rule: String, of participant: String) {
        guard !wantsSnapshot else { return }
        alerts[Key(participant: participant, name: rule)] = alert
        if alerts.count > Self.mostAlerts { reset() }
    }

    mutating func put(wave block: String, of participant: String) {
        guard !wantsSnapshot else { return }
        waves.append(Wave(participant: participant, block: block))
        waveBytes += block.utf8.count
        guard waves.count > Self.mostWaves || waveBytes > Self.mostWaveBytes else { return }
        gaps.formUnion(waves.map(\.participant))
        waves = []
        waveBytes = 0
    }

    mutating func put(module: String, _ name: String) {
        guard !wantsSnapshot else { return }
        modules[name] = module
    }

    /// Says that the stream lives.
    mutating func beat(at now: Double) { beats = now }

    /// The session has ended.
    mutating func end() { isEnding = true }

    /// Drops everything: a snapshot says it all.
    mutating func reset() {
        let wasEnding = isEnding
        self = ViewerMailbox()
        isEnding = wasEnding
    }

    /// The messages to be sent now, and nothing waits any more.
    /// - Parameters:
    ///   - snapshot: makes the snapshot that a viewer begins with.
    ///   - alias: a participant's name as this viewer knows it.
    mutating func take(snapshot: () -> String, alias: (String) -> String) -> [Event] {
        defer {
            self = ViewerMailbox()
            wantsSnapshot = false
        }
        if isEnding { return [Event(name: "end", data: "{}")] }
        if wantsSnapshot { return [Event(name: "snapshot", data: snapshot())] }
        var events: [Event] = []
        for alert in alerts.sorted(by: { ($0.key.participant, $0.key.name) < ($1.key.participant, $1.key.name) }) {
            let name = Self.quoted(alias(alert.key.participant))
            events.append(
                Event(name: "alert", data: "{\"p\":\(name),\"rule\":\(Self.quoted(alert.key.name)),\"alert\":\(alert.value)}"))
        }
        for (participant, entries) in Dictionary(grouping: values, by: \.key.participant).sorted(by: { $0.key < $1.key }) {
            let list = entries.sorted { $0.key.name < $1.key.name }.map(\.value).joined(separator: ",")
            events.append(Event(name: "values", data: "{\"p\":\(Self.quoted(alias(participant))),\"v\":[\(list)]}"))
        }
        for participant in gaps.sorted() { events.append(Event(name: "gap", data: "{\"p\":\(Self.quoted(alias(participant)))}")) }
        for (participant, blocks) in Dictionary(grouping: waves, by: \.participant).sorted(by: { $0.key < $1.key }) {
            let list = blocks.map(\.block).joined(separator: ",")
            events.append(Event(name: "waves", data: "{\"p\":\(Self.quoted(alias(participant))),\"w\":[\(list)]}"))
        }
        for module in modules.sorted(by: { $0.key < $1.key }) { events.append(Event(name: "module", data: module.value)) }
        if let beats { events.append(Event(name: "beat", data: "{\"now\":\(beats)}")) }
        return events
    }

    /// A name as a JSON string. Names hold nothing that needs escaping but rules' and modules' might, from a stranger's topic.
    static func quoted(_ text: String) -> String {
        "\"" + text.filter { $0.isASCII && $0 != "\"" && $0 != "\\" && !$0.isNewline && ($0.asciiValue ?? 0) >= 0x20 } + "\""
    }
}
