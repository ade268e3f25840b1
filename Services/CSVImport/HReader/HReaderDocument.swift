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
