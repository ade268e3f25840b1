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

    /// Whether it holds for the records that follow, too.
    var isBase: Bool { rawValue < 0 }
}
