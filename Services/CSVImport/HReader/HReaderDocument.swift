/// A patient record as hReader stores it: sections of items, all optional.
struct HReaderDocument: Decodable {
    let first: String?
    let last: String?
    let gender: String?
    let birthdate: LenientScalar?
    let medicalRecordNumber: LenientScalar?
    let allergies: [HReaderItem]?
    let conditions: [HReaderItem]?
    let encounters: [HReaderItem]?
    let immunizations: [HReaderItem]?
    let medications: [HReaderItem]?
    let procedures: [HReaderItem]?
    let results: [HReaderItem]?
    let socialHistory: [HReaderItem]?
    let vitalSigns: [HReaderItem]?

    private enum CodingKeys: String, CodingKey {
        case first, last, gender, birthdate, allergies, conditions, encounters, immunizations, medications, procedures, results
        case medicalRecordNumber = "medical_record_number"
        case socialHistory = "social_history"
        case vitalSigns = "vital_signs"
    }
}

/// One item of a patient record, whatever section it stands in.
struct HReaderItem: Decodable {
    struct Value: Decodable {
        let scalar: LenientScalar?
        let units: String?
    }

    let id: String?
    let description: String?
    let codes: [String: [String]]?
    let time: LenientScalar?
    let startTime: LenientScalar?
    let endTime: LenientScalar?
    let value: Value?
    let freeText: String?
    let reaction: String?
    let severity: String?

    private enum CodingKeys: String, CodingKey {
        case id = "_id"
        case description, codes, time
        case startTime = "start_time"
        case endTime = "end_time"
        case value
        case freeText = "freeTextSig"
        case reaction, severity
    }
}

/// A JSON scalar as records really hold it: numbers come as strings, and anything may be null.
struct LenientScalar: Decodable, Hashable {
    /// The number, where there is one, also one that stands in a string.
    let number: Double?
    /// The text, where it is no number.
    let text: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self.init(number: number, text: nil)
        } else if let text = try? container.decode(String.self) {
            let trimmed = text.trimmingPrefix { $0.isWhitespace }
            let number = Double(trimmed).flatMap { $0.isFinite ? $0 : nil }
            self.init(number: number, text: number == nil && !trimmed.isEmpty ? text : nil)
        } else {
            self.init(number: nil, text: nil)
        }
    }

    private init(number: Double?, text: String?) {
        self.number = number
        self.text = text
    }
}
