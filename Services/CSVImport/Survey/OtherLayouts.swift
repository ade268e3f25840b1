import VigilSchema

/// Recognises content that is not a table with a header, and completes its survey.
enum OtherLayouts {
    /// The columns of an Empatica E4's files, by the files' names.
    private static let recorders = [
        "HR": ["heart-rate"], "EDA": ["eda"], "TEMP": ["temperature"], "BVP": ["bvp"], "ACC": ["acc-x-axis", "acc-y-axis", "acc-z-axis"],
    ]

    /// Returns whether the content is of the profile's layout.
    static func fits(_ profile: Profile, _ records: [[String]], _ text: [UInt8], _ path: String) -> Bool {
        switch profile.layout {
        case .table, .long: false
        case .appleECG:
            records.prefix(20).contains { $0.count == 2 && AppleECGReader.isRate($0[1].trimmed) }
                && records.prefix(20).contains { $0.count == 2 && AppleECGReader.isMoment($0[1].trimmed) }
        case .fhir: isFHIR(text)
        case .hReader: isHReader(text)
        case .vigilJSON: isVigilJSON(text)
        case .rejects: ([RejectFile.header] + RejectFile.earlierHeaders).contains { $0 == records.first }
        case .appleHealth: String(decoding: text.prefix(8192), as: UTF8.self).contains("<HealthData") || hasHealthDoctype(text)
        case .samples:
            records.count > 2 && recorders[stem(path)]?.count == records[0].count
                && [records[0], records[1]].joined().allSatisfy { Double(decimal: $0.trimmed) != nil }
        case .marks:
            stem(path) == "tags" && !records.isEmpty && records.allSatisfy { $0.count == 1 && Double(decimal: $0[0].trimmed) != nil }
        case .intervals:
            records.count > 1 && records[0].count == 2 && Double(decimal: records[0][0].trimmed) != nil && records[0][1].trimmed == "IBI"
        }
    }

    /// The survey of an empty file, which only a recorder's marks may be: the button was never pressed.
    static func empty(_ path: String) throws(ImportError) -> FileSurvey {
        guard stem(path) == "tags" else { throw ImportError(.format, "\(path) is empty") }
        return FileSurvey(dialect: .standard, markLength: 0, profile: BuiltIn.empaticaTags, headerRecord: -1, header: ["timestamp"])
    }

    /// Sets what a header would tell.
    static func complete(_ survey: inout FileSurvey, _ records: [[String]], path: String) {
        let start = { ((Double(decimal: records[0][0].trimmed) ?? 0) * 1_000_000).microseconds ?? 0 }
        switch survey.profile.layout {
        case .samples:
            survey.headerRecord = 1
            survey.header = recorders[stem(path)] ?? []
            survey.timing = .samples(start: start(), rate: min(max(Double(decimal: records[1][0].trimmed) ?? 1, 1e-3), 1e6))
        case .intervals:
            survey.headerRecord = 0
            survey.header = ["offset", "inter-beat-interval"]
            survey.profile.time.columns = [["offset"]]
            survey.timing = .offsets(start: start())
        case .marks: survey.header = ["timestamp"]
        case .rejects:
            survey.headerRecord = 0
            survey.header = records[0]
        case .table, .long, .appleHealth, .appleECG, .fhir, .hReader, .vigilJSON: break
        }
    }

    /// Returns whether JSON holds FHIR resources: one, one a line, or a Bundle of them.
    static func isFHIR(_ text: [UInt8]) -> Bool {
        let start = String(decoding: text.prefix(16384), as: UTF8.self)
        guard let first = start.first(where: { !$0.isWhitespace }) else { return false }
        return (first == "{" || first == "[") && start.contains("\"resourceType\"")
    }

    /// Returns whether JSON is Vigil's own export: a list of objects that begin with a participant, and hold observations or a record.
    static func isVigilJSON(_ text: [UInt8]) -> Bool {
        let start = String(decoding: text.prefix(4096), as: UTF8.self)
        let begin = String(start.filter { !$0.isWhitespace }.prefix(1000))
        guard begin.hasPrefix("[{\"participant\":") else { return false }
        return begin.contains("\"received\":") && begin.contains("\"observations\":[") || begin.contains(",\"record\":{")
    }

    /// Returns whether JSON is a patient record of hReader.
    static func isHReader(_ text: [UInt8]) -> Bool {
        let start = String(decoding: text, as: UTF8.self)
        let names = [
            "vital_signs", "medical_record_number", "birthdate", "social_history", "immunizations", "encounters", "conditions",
            "procedures",
        ]
        return start.drop { $0.isWhitespace }.hasPrefix("{") && names.count { start.contains("\"\($0)\"") } >= 3
    }

    /// Returns whether the content is one of a recorder's own files or of this importer's rejects.
    static func isOneTable(_ records: [[String]], _ path: String) -> Bool {
        BuiltIn.profiles.contains { profile in
            switch profile.layout {
            case .samples, .intervals, .marks, .rejects, .appleECG: fits(profile, records, [], path)
            case .table, .long, .appleHealth, .fhir, .hReader, .vigilJSON: false
            }
        }
    }

    /// Sets the start of a clock that runs from a session's start, which the lines above the header tell: Polar's.
    static func startOfClock(_ survey: inout FileSurvey, _ above: [[String]]) {
        guard survey.profile.name == BuiltIn.polarSamples.name else { return }
        for (names, cells) in zip(above, above.dropFirst()) where names.contains("Date") && names.contains("Start time") {
            let values = Dictionary(zip(names, cells)) { first, _ in first }
            survey.clockStart = "\(values["Date"] ?? "") \(values["Start time"] ?? "")"
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
