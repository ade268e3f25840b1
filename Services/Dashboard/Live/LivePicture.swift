import VigilSchema

/// The present picture of every participant: the newest values, the last seconds of waveforms, and the standing alerts. A value.
///
/// Bounded: per participant 200 metrics and 16 waveforms of twelve seconds; in all 20,000 participants and 24 MB of samples.
struct LivePicture {
    /// The newest value of a metric.
    struct Value {
        let time: Timestamp
        let source: String
        let content: Observation.Content
        let unit: String
    }

    /// A block of samples as it is sent on: whole numbers of 16 bits and their scale, in base64.
    struct Block {
        let metric: String
        let source: String
        let time: Timestamp
        let period: Double
        let samples: EncodedSamples
        let unit: String

        var end: Timestamp { time.advanced(bySeconds: period * Double(samples.count)) }
    }

    struct Person {
        var values: [String: Value] = [:]
        var waves: [String: [Block]] = [:]
        var alerts: [String: AlertMessage] = [:]
        /// A Boolean value that indicates whether the timeline was asked for what came before.
        var isFilled = false
    }

    static let waveSeconds = 12.0
    private static let mostPeople = 20_000
    private static let mostMetrics = 200
    private static let mostWaves = 16
    private static let mostSampleBytes = 24 << 20
    private(set) var people: [String: Person] = [:]
    private var sampleBytes = 0

    /// Forgets a participant; false for one who is not known.
    mutating func forget(_ participant: String) -> Bool {
        guard let person = people.removeValue(forKey: participant) else { return false }
        sampleBytes -= person.waves.values.joined().reduce(0) { $0 + $1.samples.base64.utf8.count }
        return true
    }

    /// Takes a value; false where an equal or newer one is known.
    mutating func take(_ value: Value, _ metric: String, of participant: String) -> Bool {
        guard known(participant) else { return false }
        if let old = people[participant]?.values[metric], old.time >= value.time { return false }
        guard let count = people[participant]?.values.count, count < Self.mostMetrics || people[participant]?.values[metric] != nil else {
            return false
        }
        people[participant]?.values[metric] = value
        return true
    }

    /// Takes a block of samples; false where there is no room for more waveforms.
    mutating func take(_ block: Block, of participant: String) -> Bool {
        guard known(participant), var waves = people[participant]?.waves else { return false }
        guard waves[block.metric] != nil || waves.count < Self.mostWaves else { return false }
        var blocks = waves[block.metric] ?? []
        blocks.append(block)
        sampleBytes += block.samples.base64.utf8.count
        let horizon = block.end.advanced(bySeconds: -Self.waveSeconds)
        while let first = blocks.first, blocks.count > 1, first.end < horizon || sampleBytes > Self.mostSampleBytes {
            sampleBytes -= first.samples.base64.utf8.count
            blocks.removeFirst()
        }
        waves[block.metric] = blocks
        people[participant]?.waves = waves
        return true
    }

    /// Takes an alert's present state; nil where it is over.
    mutating func take(_ alert: AlertMessage?, _ rule: String, of participant: String) {
        guard known(participant) else { return }
        people[participant]?.alerts[rule] = alert
    }

    /// Marks a participant as filled with what the timeline has; true the first time.
    mutating func fill(_ participant: String) -> Bool {
        guard known(participant), people[participant]?.isFilled == false else { return false }
        people[participant]?.isFilled = true
        return true
    }

    /// The timeline could not be asked: to be tried again.
    mutating func unfill(_ participant: String) { people[participant]?.isFilled = false }

    private mutating func known(_ participant: String) -> Bool {
        if people[participant] != nil { return true }
        guard people.count < Self.mostPeople else { return false }
        people[participant] = Person()
        return true
    }
}

/// Samples as 16-bit whole numbers, little-endian, in base64: value = offset + scale × number.
struct EncodedSamples {
    let count: Int
    let offset: Double
    let scale: Double
    let base64: String

    init(_ samples: [Double]) {
        count = samples.count
        let low = samples.min() ?? 0
        let high = samples.max() ?? 0
        offset = (low + high) / 2
        scale = high > low ? (high - low) / 65_000 : 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 2)
        for sample in samples {
            let number = UInt16(bitPattern: Int16(clamping: Int(((sample - offset) / scale).rounded())))
            bytes.append(UInt8(truncatingIfNeeded: number))
            bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        }
        base64 = Base64.text(bytes)
    }
}

/// Base 64 (RFC 4648) with padding.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let part = bytes[index..<min(index + 3, bytes.count)]
            let bits = part.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << (16 - 8 * UInt32($1.offset)) }
            for place in 0..<4 {
                let digit = digits[Int(bits >> (18 - 6 * UInt32(place)) & 63)]
                text.append(place <= part.count ? digit : UInt8(ascii: "="))
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }
}
