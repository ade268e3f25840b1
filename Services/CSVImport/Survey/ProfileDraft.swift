/// Makes a profile for a table that no profile fits, for its user to correct.
enum ProfileDraft {
    /// The last hundred years or so, in seconds: smaller numbers are rather measurements than times.
    private static let leastDigits = 9

    /// The generic profile with the table's first column that holds times, and columns by what they are called.
    static func profile(_ records: [[String]]) throws(ImportError) -> Profile? {
        guard let header = records.first, header.count > 1, records.count > 1 else { return nil }
        var profile = BuiltIn.generic
        profile.name = "own"
        profile.title = "draft: say which column is the time, who was measured, and what the columns are"
        profile.requires = []
        profile.time = TimeRule(columns: [["?"]])
        for place in header.indices {
            let texts = records.dropFirst().compactMap { place < $0.count ? $0[place].trimmed : nil }.filter { !$0.isEmpty }
            guard !texts.isEmpty, let formats = try TimeSniffer.formats(texts), looksLikeTimes(formats, texts) else { continue }
            profile.time = TimeRule(columns: [[header[place].trimmed]], formats: formats)
            break
        }
        return profile
    }

    private static func looksLikeTimes(_ formats: [TimeFormat], _ texts: [String]) -> Bool {
        guard case .unix? = formats.first else { return true }
        return texts.allSatisfy { $0.prefix(while: \.isNumber).count >= leastDigits }
    }
}
