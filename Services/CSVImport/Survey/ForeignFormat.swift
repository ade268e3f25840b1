/// Files that are no text which can be imported, known by their first bytes, and the way in which their content can be had.
enum ForeignFormat {
    /// The words to refuse a file that starts so with; nil for what may be importable text.
    static func refusal(_ start: [UInt8]) -> String? {
        for (bytes, words) in signatures where start.starts(with: bytes) { return words }
        if start.count >= 262, start[257..<262].equals("ustar") {
            return
                "is a tar archive inside another file: `vigil timeline open` or a tool of yours unpacks it, and the folder can be imported"
        }
        let text = String(decoding: start.prefix(2048), as: UTF8.self).lowercased()
        let trimmed = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if trimmed.hasPrefix("<!doctype html") || trimmed.hasPrefix("<html") {
            return "is a web page, perhaps a sign-in form in place of the data"
        }
        if trimmed.hasPrefix("# opensignals") {
            return "is an OpenSignals recording of a converter's counts without a unit: export heart rates or RR intervals of it as CSV"
        }
        if trimmed.hasPrefix("<"), text.contains("clinicaldocument") {
            return
                "is a clinical document (C-CDA): ask whoever made it for FHIR, which is read, or for a table as CSV; Apple Health's export.xml has what its export_cda.xml has"
        }
        if ["msh|", "fhs|", "bhs|"].contains(where: { trimmed.hasPrefix($0) }) {
            return "is an HL7 version 2 message: ask its sender for FHIR, which is read, or for a table as CSV"
        }
        if trimmed.hasPrefix("{\\rtf") { return "is a text for a word processor: save it as CSV" }
        if text.contains("\"defaultprofile\"") && text.contains("\"store\"") {
            return "is a profile of Nightscout's: settings, and no readings; entries and treatments hold these"
        }
        let zeros = start.prefix(4096).count { $0 == 0 }
        if zeros > 0, !TextEncoding.detect(start).encoding.isUTF16 { return "is binary data of a kind that is not known" }
        return nil
    }

    private static let signatures: [([UInt8], String)] = [
        (Array("VIGILSEAL".utf8), "is sealed: say by --passphrase-file what it was sealed with"),
        (Array("%PDF".utf8), "is a PDF: export the table behind it as CSV"),
        ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "is an old Excel or Word file: save the sheet as CSV"),
        (
            Array("SQLite format 3\0".utf8),
            "is an SQLite database: export a table of it, for example `sqlite3 -header -csv FILE 'SELECT …'`"
        ),
        (Array("PAR1".utf8), "is a Parquet file: convert it to CSV, for example by DuckDB's COPY"),
        ([0x89, 0x50, 0x4E, 0x47], "is a picture"), ([0xFF, 0xD8, 0xFF], "is a picture"), (Array("GIF8".utf8), "is a picture"),
        ([0x50, 0x4B, 0x03, 0x04], "is an archive inside an archive: unpack it, and import the folder"),
        ([0x1F, 0x8B], "is packed more than once: unpack it"),
        ([0x89, 0x48, 0x44, 0x46], "is an HDF5 file (MATLAB writes them too): export it as CSV"),
        (Array("MATLAB 5.0".utf8), "is a MATLAB file: export it as CSV"),
        (Array("0       ".utf8), "is an EDF recording: export it as CSV"),
        (Array("bplist00".utf8), "is a binary property list"), ([0x7F, 0x45, 0x4C, 0x46], "is a program"),
    ]
}

extension ArraySlice<UInt8> {
    fileprivate func equals(_ text: String) -> Bool { elementsEqual(text.utf8) }
}
