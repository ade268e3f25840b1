import VigilSchema

/// The fields of one SenML record as they were read, from JSON or CBOR.
struct SenMLRecord {
    /// Why a field was refused.
    struct Refusal: Error {
        let code: PayloadError.Code
        let reason: StaticReason
        let offset: Int
        /// Nil where the record as a whole is meant.
        let label: SenMLLabel?
    }

    /// Where it starts, in bytes.
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
    /// Where the fields' values stand, by label; negative where a field is not there.
    private var places = InlineArray<15, Int32>(repeating: -1)

    init(start: Int) { self.start = start }

    func has(_ label: SenMLLabel) -> Bool { places[label.place] >= 0 }

    /// Whether a field stands in it that holds for this record alone.
    var hasRegularFields: Bool { SenMLLabel.allCases.contains { !$0.isBase && has($0) } }

    /// The field that a wrong name is told of.
    var nameLabel: SenMLLabel? { has(.name) ? .name : has(.baseName) ? .baseName : nil }

    /// Where a field's value stands, else the record.
    func offset(of label: SenMLLabel?) -> Int {
        guard let label, has(label) else { return start }
        return Int(places[label.place])
    }

    /// Where the parts of the reading stand, its value being the field `content`.
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
