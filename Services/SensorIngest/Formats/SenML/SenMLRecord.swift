import VigilSchema

/// The fields of one SenML record as they were read, from JSON or CBOR.
struct SenMLRecord {
    /// The reason why a field was refused.
    struct Refusal: Error {
        let code: PayloadError.Code
        let reason: StaticReason
        let offset: Int
        /// Nil where the record as a whole is meant.
        let label: SenMLLabel?
    }

    /// The offset of its first byte.
    let start: Int
    var baseName: String?
    /// In microseconds.
    var baseTime: Int64?
    var baseUnit: String?
    var baseValue: Double?
    var version: Int?
    var name: String?
    var unit: String?
    var value: Double?
    var text: String?
    var boolean: Bool?
    /// In microseconds.
    var time: Int64?
    /// The one to tell of.
    private(set) var refusal: Refusal?
    /// The offsets of the fields' values, by label; negative where a field is missing.
    private var places = InlineArray<15, Int32>(repeating: -1)

    init(start: Int) { self.start = start }

    func has(_ label: SenMLLabel) -> Bool { places[label.place] >= 0 }

    /// A Boolean value that indicates whether a field stands in it that holds for this record alone.
    var hasRegularFields: Bool { SenMLLabel.allCases.contains { !$0.isBase && has($0) } }

    /// The field that a wrong name is told of.
    var nameLabel: SenMLLabel? { has(.name) ? .name : has(.baseName) ? .baseName : nil }

    /// The offset of a field's value, else of the record.
    func offset(of label: SenMLLabel?) -> Int {
        guard let label, has(label) else { return start }
        return Int(places[label.place])
    }

    /// The offsets of the reading's parts, its value being the field `content`.
    func offsets(content: SenMLLabel) -> ParsedObservation.Offsets {
        var offsets = ParsedObservation.Offsets(element: start)
        offsets.metric = Int32(clamping: offset(of: .name))
        offsets.time = Int32(clamping: offset(of: .time))
        offsets.unit = Int32(clamping: offset(of: .unit))
        offsets.content = Int32(clamping: offset(of: content))
        return offsets
    }

    /// Notes that a field is there. False where it was before, which is refused.
    mutating func mark(_ label: SenMLLabel, at offset: Int) -> Bool {
        guard !has(label) else {
            refuse(.conflicting, "a field is given twice", at: offset, label)
            return false
        }
        places[label.place] = Int32(clamping: offset)
        return true
    }

    /// Keeps the first refusal, but for a base field's: it spoils the records that follow, and is the one to tell of.
    mutating func refuse(_ code: PayloadError.Code, _ reason: StaticReason, at offset: Int, _ label: SenMLLabel?) {
        let isWorse = (label?.isBase ?? false) && !(refusal?.label?.isBase ?? false)
        guard refusal == nil || isWorse else { return }
        refusal = Refusal(code: code, reason: reason, offset: offset, label: label)
    }
}

extension SenMLLabel {
    /// 0…14.
    fileprivate var place: Int { Int(rawValue) + 6 }
}

/// The fields of a SenML record, by their CBOR labels (RFC 8428, table 4).
enum SenMLLabel: Int8, CaseIterable {
    case baseVersion = -1
    case baseName = -2
    case baseTime = -3
    case baseUnit = -4
    case baseValue = -5
    case baseSum = -6
    case name = 0
    case unit = 1
    case value = 2
    case text = 3
    case boolean = 4
    case sum = 5
    case time = 6
    case updateTime = 7
    case data = 8

    /// By the JSON label, packed as `RawString.packed` does.
    init?(packed key: UInt64) {
        switch key {
        case 0x7265_7662: self = .baseVersion
        case 0x6E62: self = .baseName
        case 0x7462: self = .baseTime
        case 0x7562: self = .baseUnit
        case 0x7662: self = .baseValue
        case 0x7362: self = .baseSum
        case 0x6E: self = .name
        case 0x75: self = .unit
        case 0x76: self = .value
        case 0x7376: self = .text
        case 0x6276: self = .boolean
        case 0x73: self = .sum
        case 0x74: self = .time
        case 0x7475: self = .updateTime
        case 0x6476: self = .data
        default: return nil
        }
    }

    /// As it stands in JSON, and in the paths of errors.
    var key: String {
        switch self {
        case .baseVersion: "bver"
        case .baseName: "bn"
        case .baseTime: "bt"
        case .baseUnit: "bu"
        case .baseValue: "bv"
        case .baseSum: "bs"
        case .name: "n"
        case .unit: "u"
        case .value: "v"
        case .text: "vs"
        case .boolean: "vb"
        case .sum: "s"
        case .time: "t"
        case .updateTime: "ut"
        case .data: "vd"
        }
    }

    /// A Boolean value that indicates whether it holds for the records that follow, too.
    var isBase: Bool { rawValue < 0 }
}

/// The versions of SenML that are understood.
///
/// Version 10 is RFC 8428. RFC 9100 reads greater numbers as sets of features above it, of which one is defined: 2^4,
/// secondary units, which makes 26. Numbers below 10 were drafts with the same fields.
enum SenMLVersion {
    private static let secondaryUnits = 16

    static func isUnderstood(_ version: Int) -> Bool {
        (1...10).contains(version) || version == 10 + secondaryUnits
    }
}

/// Bounds of SenML's numbers.
enum SenMLNumber {
    /// The end of the year 9999, in microseconds.
    static let largestTime: UInt64 = 253_402_300_800_000_000

    /// Seconds as whole microseconds, rounded to the nearest; nil outside the years 1 to 9999 and for what is no number.
    static func microseconds(seconds: Double) -> Int64? {
        let microseconds = (seconds * 1_000_000).rounded()
        guard microseconds.magnitude <= Double(largestTime) else { return nil }
        return Int64(microseconds)
    }
}

/// The texts that a value may hold.
enum SenMLText {
    /// The reason why a text is refused; nil where it is not.
    static func objection(to text: String) -> StaticReason? {
        if text.isEmpty { return "the text is empty" }
        return text.utf8.contains(0) ? "the text holds a NUL" : nil
    }
}
