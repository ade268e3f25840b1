import MessageBus
import Signals
import VigilSchema

/// Turns a report into observations, each with its name and unit in the metric catalogue.
enum ReportObservations {
    /// The observations of a report, in a fixed order; a value that is not known is left out, and so is one that cannot be, of which the status
    /// tells.
    static func of(_ report: WearerReport, score: StressScore, status: String) -> [Observation] {
        let time = Timestamp(seconds: report.time)
        var list: [Observation] = []
        var implausible: [String] = []
        for (metric, value, unit) in quality(report) + vitals(report) + beats(report) + stress(score) + longTerm(report.longTerm) {
            guard let value, value.isFinite else { continue }
            // Four digits after the point are finer than any of the sensors.
            let rounded = (value * 10_000).rounded() / 10_000
            guard isPlausible(rounded, metric) else {
                implausible.append(metric)
                continue
            }
            list.append(Observation(metric: metric, time: time, content: .value(rounded), unit: unit))
        }
        list += rhythm(report) + hour(report)
        let remark = "left out as it cannot be: \(implausible.joined(separator: ", "))"
        let text = implausible.isEmpty ? status : status == "ok" ? remark : "\(status); \(remark)"
        list.append(Observation(metric: "stress-status", time: time, content: .text(text), unit: "1"))
        return list
    }

    /// What a report says of a heart or a breath that stands still, and nothing else.
    static func standstill(_ report: WearerReport) -> [Observation] {
        [("ecg-pause", report.heartPause), ("respiration-pause", report.breathingPause)].compactMap { metric, pause in
            pause.map {
                Observation(
                    metric: metric, time: Timestamp(seconds: report.time), content: .value(($0 * 10_000).rounded() / 10_000), unit: "s")
            }
        }
    }

    /// The status of a report that says nothing else; nil where it says something.
    static func silence(_ observations: [Observation]) -> String? {
        guard observations.allSatisfy({ ["stress-status", "stress-calibrated", "rhythm"].contains($0.metric) }),
            case .text(let status)? = observations.last?.content
        else { return nil }
        return status
    }

    private static func isPlausible(_ value: Double, _ metric: String) -> Bool {
        MetricCatalogue.standard.definition(named: metric)?.plausible?.contains(value) ?? true
    }

    private static func vitals(_ report: WearerReport) -> [(String, Double?, String)] {
        [
            ("heart-rate", report.heartRate, "/min"),
            ("heart-rate-variability-rmssd", report.variability?.rmssd, "ms"),
            ("respiration-rate", report.breathing?.rate, "/min"),
            ("skin-conductance-level", report.inputs.skinConductance, "uS"),
            ("scr-rate", report.responseRate, "/min"),
            ("scr-amplitude", report.responseAmplitude, "uS"),
        ]
    }

    private static func beats(_ report: WearerReport) -> [(String, Double?, String)] {
        let (intervals, breathing) = (report.beatIntervals, report.breathingEstimate)
        let isTrusted = breathing.map { $0.quality >= BreathModulation.leastQuality } ?? false
        return [
            ("respiration-rate-estimate", isTrusted ? breathing?.rate : nil, "/min"),
            ("respiration-estimate-quality", breathing?.quality, "1"),
            ("pr-interval", intervals?.pr, "ms"), ("qrs-duration", intervals?.qrs, "ms"), ("qt-interval", intervals?.qt, "ms"),
            ("qtc-interval", intervals?.qtc, "ms"), ("st-level", intervals?.st, "mV"), ("st-change", report.changeOfST, "mV"),
            ("beat-interval-quality", intervals?.quality, "1"),
        ]
    }

    private static func stress(_ score: StressScore) -> [(String, Double?, String)] {
        [
            ("stress-level", score.level, "1"),
            ("stress-heart-component", score.heart, "1"),
            ("stress-skin-component", score.skin, "1"),
            ("stress-breathing-component", score.breath, "1"),
            ("stress-calibrated", score.isCalibrated ? 1 : 0, "1"),
        ]
    }

    private static func quality(_ report: WearerReport) -> [(String, Double?, String)] {
        [
            ("ecg-quality", report.heartQuality, "1"),
            ("respiration-quality", report.breathingQuality, "1"),
            ("skin-conductance-quality", report.skinQuality, "1"),
            ("ecg-pause", report.heartPause, "s"),
            ("ecg-flat", report.heartFlat, "s"),
            ("respiration-pause", report.breathingPause, "s"),
            ("respiration-flat", report.breathingFlat, "s"),
        ]
    }

    /// A count over the minute that ended now carries its length; the rhythm's name stands for the minute too.
    private static func rhythm(_ report: WearerReport) -> [Observation] {
        guard let minute = report.rhythm else { return [] }
        let (start, unit) = (Timestamp(seconds: report.time - 60), "{beats}")
        var counts: [(String, Double, String)] = []
        if minute.beats > 0 {
            counts = [
                ("beats-judged", Double(minute.beats), unit), ("ventricular-beats", Double(minute.ventricular), unit),
                ("supraventricular-beats", Double(minute.supraventricular), unit),
                ("fibrillation-suspected", minute.fibrillation.rounded(), "s"),
            ]
        }
        let name = Observation(metric: "rhythm", time: start, interval: 60, content: .text(minute.name), unit: "1")
        return counts.map { Observation(metric: $0.0, time: start, interval: 60, content: .value($0.1), unit: $0.2) } + [name]
    }

    /// A rhythm that has ended, from its first beat on. A couplet or a pause lies within another rhythm that may begin with it.
    static func of(_ interval: RhythmInterval) -> Observation {
        Observation(
            metric: "heart-rhythm-interval", time: Timestamp(seconds: interval.start), sequence: interval.isEvent ? 1 : 0,
            interval: Int32(max(1, interval.length.rounded())), content: .text(interval.rhythm.rawValue), unit: "1")
    }

    /// A rhythm that was recognised.
    static func of(_ change: RhythmChange) -> Observation {
        Observation(
            metric: "heart-rhythm", time: Timestamp(seconds: change.time), content: .text(change.rhythm.rawValue), unit: "1")
    }

    /// The shares of an hour's beats, with its length.
    private static func hour(_ report: WearerReport) -> [Observation] {
        guard let hour = report.rhythmHour else { return [] }
        let shares = [("ventricular-burden-hour", hour.ventricular), ("supraventricular-burden-hour", hour.supraventricular)]
        return shares.map { metric, count in
            let share = (10_000 * Double(count) / Double(hour.beats)).rounded() / 100
            return Observation(
                metric: metric, time: Timestamp(seconds: report.time - 3600), interval: 3600, content: .value(share), unit: "%")
        }
    }

    private static func longTerm(_ measures: WearerReport.LongTerm?) -> [(String, Double?, String)] {
        guard let measures else { return [] }
        return [
            ("heart-rate-variability-sdnn", measures.variability.sdnn, "ms"),
            ("pnn50", measures.variability.pnn50, "%"),
            ("lf-power", measures.spectrum?.lowFrequency, "ms2"),
            ("hf-power", measures.spectrum?.highFrequency, "ms2"),
            ("lf-hf-ratio", measures.spectrum?.ratio, "1"),
            ("baevsky-index", measures.baevsky, "1/s2"),
            ("dfa-alpha1", measures.alpha1, "1"),
        ]
    }
}

extension RhythmMinute {
    /// The minute in one word, of the vocabulary of the metric `rhythm`. Fibrillation is suspected in a minute of which it takes half (the guidelines'
    /// 30 s: ESC 2020); early beats are named from three on.
    var name: String {
        if beats == 0 { return "unknown" }
        if fibrillation >= 30 { return "suspected-atrial-fibrillation" }
        return ventricular + supraventricular >= 3 ? "early-beats" : "regular"
    }
}

/// Puts derived observations of many people into batches, one or more a partition.
enum OutputMessages {
    /// About how many observations stay below the bus's 256 KiB a batch.
    private static let largest = 1500

    /// The messages to publish. A participant's observations keep their order.
    static func of(_ pending: [String: [Observation]], at time: Timestamp) -> [OutgoingMessage] {
        var groups: [Partition: [ObservationGroup]] = [:]
        for (participant, observations) in pending.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: observations.count, by: largest) {
                let part = Array(observations[start..<min(start + largest, observations.count)])
                groups[Partition(participant: participant), default: []].append(
                    ObservationGroup(participant: participant, source: StressEngine.source, received: time, observations: part))
            }
        }
        return groups.sorted { $0.key < $1.key }.flatMap { partition, groups in
            split(groups).map { message(partition, $0, at: time) }
        }
    }

    private static func split(_ groups: [ObservationGroup]) -> [[ObservationGroup]] {
        var batches: [[ObservationGroup]] = []
        var room = 0
        for group in groups {
            if group.observations.count > room {
                batches.append([])
                room = largest
            }
            batches[batches.count - 1].append(group)
            room -= group.observations.count
        }
        return batches
    }

    private static func message(_ partition: Partition, _ groups: [ObservationGroup], at time: Timestamp) -> OutgoingMessage {
        OutgoingMessage(
            topic: Topic.derived(partition).path,
            payload: BatchEncoder.encode(ObservationBatch(id: ULID.make(at: time), groups: groups)),
            properties: MessageProperties(contentType: MediaType.batch))
    }
}
