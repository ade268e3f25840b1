package import VigilSchema

/// A file's observations one block after the other, for whoever wants them without importing them.
package struct FileObservations {
    /// An observation and whose it is.
    package struct Element: Sendable {
        package let participant: String
        package let source: String
        package let session: String?
        package let observation: Observation
    }

    private let file: ImportFile
    private let now: Timestamp

    /// - Parameter now: against which future times are refused.
    package init(_ file: ImportFile, now: Timestamp) {
        self.file = file
        self.now = now
    }

    /// Hands over every observation in the order of the file.
    /// - Returns: how many cells were refused.
    package func forEach(_ body: (Element) throws -> Void) throws -> Int {
        let options = ImportOptions()
        var source = try file.open()
        let start = try source.readStart(Surveyor.startLength)
        let survey = try Surveyor(chosen: nil, options: options).survey(start, path: file.name)
        var reader = try ContentReader(file, survey: survey, options: options, now: now)
        var block = ReadingBlock()
        var refused = 0
        var more = true
        while more {
            more = try reader.fill(&block)
            refused += block.rejects.count
            for reading in block.readings {
                let subject = reader.subjects[Int(reading.subject)], metric = reader.metrics[Int(reading.metric)]
                let text = reading.text == Reading.noText ? nil : block.texts[Int(reading.text)]
                let observation = Observation(
                    metric: metric.name, time: Timestamp(microseconds: reading.time), sequence: reading.sequence,
                    content: text.map { .text($0) } ?? .value(reading.value), unit: metric.unit,
                    zone: reading.zone == ParsedTime.noZone ? nil : reading.zone)
                try body(
                    Element(participant: subject.participant, source: subject.source, session: subject.session, observation: observation))
            }
        }
        return refused
    }
}
