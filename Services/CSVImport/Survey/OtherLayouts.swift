/// Recognises content that is not a table with a header, and completes its survey.
enum OtherLayouts {
    /// What the columns of an Empatica E4's files are, by the files' names.
    private static let recorders = [
        "HR": ["heart-rate"], "EDA": ["eda"], "TEMP": ["temperature"], "BVP": ["bvp"], "ACC": ["acc-x-axis", "acc-y-axis", "acc-z-axis"],
    ]

    /// Whether the content is of the profile's layout.
    static func fits(_ profile: Profile, _ records: [[String]], _ text: [UInt8], _ path: String) -> Bool {
        switch profile.layout {
        case .table: false
        case .rejects: records.first == RejectFile.header
        case .appleHealth: String(decoding: text.prefix(8192), as: UTF8.self).contains("<HealthData") || hasHealthDoctype(text)
        case .samples:
            records.count > 2 && recorders[stem(path)]?.count == records[0].count
                && [records[0], records[1]].joined().allSatisfy { Double($0.trimmed) != nil }
        case .marks: stem(path) == "tags" && !records.isEmpty && records.allSatisfy { $0.count == 1 && Double($0[0].trimmed) != nil }
        case .intervals:
            records.count > 1 && records[0].count == 2 && Double(records[0][0].trimmed) != nil && records[0][1].trimmed == "IBI"
        }
    }

    /// The survey of an empty file, which only a recorder's marks may be: the button was never pressed.
    static func empty(_ path: String) throws(ImportError) -> FileSurvey {
        guard stem(path) == "tags" else { throw ImportError(.format, "\(path) is empty") }
        return FileSurvey(dialect: .standard, markLength: 0, profile: BuiltIn.empaticaTags, headerRecord: -1, header: ["timestamp"])
    }

    /// Sets what a header would tell.
    static func complete(_ survey: inout FileSurvey, _ records: [[String]], path: String) {
        let start = { Int64(((Double(records[0][0].trimmed) ?? 0) * 1_000_000).rounded()) }
        switch survey.profile.layout {
        case .samples:
            survey.headerRecord = 1
            survey.header = recorders[stem(path)] ?? []
            survey.timing = .samples(start: start(), rate: max(Double(records[1][0].trimmed) ?? 1, 1e-6))
        case .intervals:
            survey.headerRecord = 0
            survey.header = ["offset", "inter-beat-interval"]
            survey.profile.time.columns = [["offset"]]
            survey.timing = .offsets(start: start())
        case .marks: survey.header = ["timestamp"]
        case .rejects:
            survey.headerRecord = 0
            survey.header = records[0]
        case .table, .appleHealth: break
        }
    }

    private static func hasHealthDoctype(_ text: [UInt8]) -> Bool {
        String(decoding: text.prefix(1024), as: UTF8.self).contains("<!DOCTYPE HealthData")
    }

    private static func stem(_ path: String) -> String {
        let name = path.split { $0 == "/" || $0 == "!" }.last ?? ""
        return String(name.split(separator: ".").first ?? "")
    }
}
