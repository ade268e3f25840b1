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
