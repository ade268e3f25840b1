/// Recognises content that is not a table with a header.
enum OtherLayouts {
    static func fits(_ profile: Profile, _ records: [[String]], _ text: [UInt8], _ path: String) -> Bool {
        false
    }
}
