/// Finds the tables in a file that has several: JSON with its lists, and CSV with parts that each have a header.
struct FileExpander {
    private static let mostSections = 200

    let options: ImportOptions

    /// The files that the file's content makes; itself where it is one.
    func expand(_ file: ImportFile) throws(ImportError) -> [ImportFile] {
        var source = try file.open()
        let start = try source.readStart(Surveyor.startLength)
        if FITSource.fits(start) { return [FITSource.file(file)] }
        guard !start.isEmpty, ForeignFormat.refusal(start) == nil else { return [file] }
        let (detected, mark, _) = TextEncoding.detect(start)
        let encoding = options.encoding ?? detected
        let open = { @Sendable () throws(ImportError) -> any ByteSource in try FileExpander.text(file, mark: mark, encoding) }
        var text = try open()
        let beginning = try text.readStart(Surveyor.startLength)
        switch beginning.first(where: { $0 > 0x20 }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if OtherLayouts.isVigilJSON(beginning) || OtherLayouts.isFHIR(beginning) || OtherLayouts.isHReader(beginning)
                || beginning.starts(with: Array("[[".utf8))
            {
                return [file]
            }
            if PolarTraining.fits(beginning) { return [PolarTraining.file(file, open)] }
            if FitbitSleep.fits(beginning) { return [FitbitSleep.file(file, open)] }
            return try JSONTables(file: file, open: open).files()
        case UInt8(ascii: "<"): return TrainingXML.fits(beginning) ? [TrainingXML.file(file, open)] : [file]
        case nil: return [file]
        default: return try sections(file, beginning, encoding, open)
        }
    }

    /// The file's content as UTF-8 behind its byte-order mark.
    static func text(_ file: ImportFile, mark: Int, _ encoding: TextEncoding) throws(ImportError) -> any ByteSource {
        var source = try file.open()
        var skipped: [UInt8] = Array(repeating: 0, count: mark)
        var count = 0
        while count < mark {
            let read = try source.read(into: &skipped, at: count, limit: mark - count)
            if read == 0 { break }
            count += read
        }
        return encoding == .utf8 ? source : TranscodingSource(source, from: encoding)
    }

    // MARK: Sections

    private struct Section {
        let offset: Int
        let line: Int
        let header: [String]
    }

    /// Splits a table at each further header: names that a profile knows, or names behind a blank line or a title.
    private func sections(
        _ file: ImportFile, _ beginning: [UInt8], _ encoding: TextEncoding,
        _ open: @escaping @Sendable () throws(ImportError) -> any ByteSource
    ) throws(ImportError) -> [ImportFile] {
        let dialect = DialectSniffer.sniff(beginning, encoding: .utf8, options: options)
        let records = DialectSniffer.records(beginning, dialect, limit: 30)
        // The home format and recorders' files have one header, if any, and are long.
        if records.first.map(ListRowsSource.fits) == true { return [ListRowsSource.file(file, dialect, open)] }
        if let rewritten = try RewrittenRows.file(file, records, dialect, options, open) { return [rewritten] }
        if let first = records.first, let table = try SyntheaTable(header: first, name: file.name) {
            return [table.file(file, dialect, open)]
        }
        guard let first = records.first, !OtherLayouts.isOneTable(records, file.name), options.columns.isEmpty,
            !TablePlanner.fits(BuiltIn.healthHacks, header: first),
            // Its parts have one header, and what stands above the first is no table.
            !records.contains(where: { TablePlanner.fits(BuiltIn.careLink, header: $0) })
        else { return [file] }
        var reader = CSVReader(try open(), dialect: dialect)
        var sections: [Section] = []
        var wasApart = true
        var line = 0
        var rowsSince = 0
        while true {
            let event = try reader.next()
            if event == .end { break }
            let hasGap = reader.line > line + 1
            line = reader.endLine - 1
            guard event == .record, reader.fieldCount > 1 else {
                wasApart = true
                continue
            }
            let isApart = wasApart || hasGap
            wasApart = false
            rowsSince += 1
            guard isApart || reader.fieldCount != sections.last?.header.count || rowsSince == 1 || !startsWithDigit(reader) else {
                continue
            }
            let texts = reader.texts().map(\.trimmed)
            guard isFurtherHeader(texts, behind: sections.last, isApart: isApart, rowsSince: rowsSince) else { continue }
            sections.append(Section(offset: reader.recordOffset, line: reader.line - 1, header: texts))
            rowsSince = 0
            if sections.count > FileExpander.mostSections { return [file] }
        }
        guard sections.count > 1 else { return [file] }
        return parts(file, sections, isUTF8: encoding == .utf8, open)
    }

    private func startsWithDigit(_ reader: CSVReader) -> Bool {
        let field = reader.field(0)
        return !field.isEmpty && (0x30...0x39).contains(reader.buffer[Int(field.start)])
    }

    private func isFurtherHeader(_ texts: [String], behind section: Section?, isApart: Bool, rowsSince: Int) -> Bool {
        guard Surveyor.isHeader(texts), texts != section?.header, HeaderUnit.row(texts) == nil else { return false }
        // The line after a header may be its units, or the lower half of two.
        guard let section else { return BuiltIn.profiles.contains { TablePlanner.fits($0, header: texts) } }
        guard BuiltIn.profiles.contains(where: { $0.name != BuiltIn.generic.name && TablePlanner.fits($0, header: texts) }) else {
            let knows = texts.count { BuiltIn.knows($0) }
            // Without a gap only a header that names the time.
            return (isApart || TablePlanner.fits(BuiltIn.generic, header: texts)) && rowsSince > 1
                && (knows >= 2 || (knows >= 1 && texts.count != section.header.count))
        }
        return isApart || rowsSince > 1
    }

    private func parts(
        _ file: ImportFile, _ sections: [Section], isUTF8: Bool, _ open: @escaping @Sendable () throws(ImportError) -> any ByteSource
    ) -> [ImportFile] {
        sections.indices.map { index in
            // Lines before the first header belong to it; and a header whose times run from what stands above needs that.
            let isFirst = index == 0 || TablePlanner.fits(BuiltIn.polarSamples, header: sections[index].header)
            let start = isFirst ? 0 : sections[index].offset
            let end = index + 1 < sections.count ? sections[index + 1].offset : nil
            let line = isFirst ? 0 : sections[index].line
            var part = ImportFile(name: index == 0 ? file.name : "\(file.name)#line \(sections[index].line + 1)") {
                () throws(ImportError) in
                SlicedSource(try open(), from: start, to: end)
            }
            part.start = ImportFile.Start(line: line, byte: start)
            return part
        }
    }
}

/// A part of a content.
struct SlicedSource: ByteSource {
    private var source: any ByteSource
    private var toSkip: Int
    private var left: Int

    init(_ source: any ByteSource, from start: Int, to end: Int?) {
        self.source = source
        toSkip = start
        left = end.map { $0 - start } ?? .max
    }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while toSkip > 0 {
            let skipped = try source.read(into: &buffer, at: offset, limit: min(limit, toSkip))
            if skipped == 0 { return 0 }
            toSkip -= skipped
        }
        let count = try source.read(into: &buffer, at: offset, limit: min(limit, left))
        left -= count
        return count
    }
}
