import VigilSchema

/// The time for which an Open mHealth measure holds: a date-time, or an interval, which counts from its start.
struct OpenMHealthTimeFrame {
    let start: DateTimeText
    /// In seconds; nil for a moment.
    let length: Double?

    /// The time frame of a data point's measures.
    /// - Parameter isRequired: as the schema's version has it; without a frame the time of the measure's making is the nearest there is.
    init(body: JSONTree, header: JSONTree, isRequired: Bool, path: String, _ bytes: Span<UInt8>) throws(PayloadError) {
        guard let frame = body["effective_time_frame"] else {
            guard !isRequired else {
                throw PayloadError(.missing, "effective_time_frame is missing", offset: body.offset, path: "\(path).body")
            }
            self.init(start: try Self.creation(header, path: "\(path).header"), length: nil)
            return
        }
        let path = "\(path).body.effective_time_frame"
        let moment = frame["date_time"], interval = frame["time_interval"]
        switch (moment, interval) {
        case (let moment?, nil): self.init(start: try Self.dateTime(moment, "\(path).date_time"), length: nil)
        case (nil, let interval?): try self.init(interval: interval, path: "\(path).time_interval", bytes)
        case (_?, _?): throw PayloadError(.conflicting, "date_time and time_interval exclude each other", offset: frame.offset, path: path)
        case (nil, nil): throw PayloadError(.missing, "date_time or time_interval is needed", offset: frame.offset, path: path)
        }
    }

    private init(start: DateTimeText, length: Double?) { (self.start, self.length) = (start, length) }

    private init(interval: JSONTree, path: String, _ bytes: Span<UInt8>) throws(PayloadError) {
        var duration: Double?
        if let node = interval["duration"] { duration = try Self.seconds(node, path: "\(path).duration", bytes) }
        var end: DateTimeText?
        if let node = interval["end_date_time"] { end = try Self.dateTime(node, "\(path).end_date_time") }
        if let node = interval["start_date_time"] {
            let start = try Self.dateTime(node, "\(path).start_date_time")
            let length = duration ?? end.map { $0.time.seconds - start.time.seconds }
            guard let length else {
                throw PayloadError(.missing, "an interval with a start needs an end or a duration", offset: interval.offset, path: path)
            }
            guard length >= 0 else {
                throw PayloadError(.implausibleTime, "the interval ends before it starts", offset: interval.offset, path: path)
            }
            self.init(start: start, length: length)
        } else if let end, let duration {
            self.init(start: end.earlier(by: duration), length: duration)
        } else {
            throw PayloadError(
                .unsupported, "an interval needs two of start_date_time, end_date_time and duration", offset: interval.offset, path: path)
        }
    }

    /// The first versions leave the time frame out; then the time of the measure's making is the nearest there is.
    private static func creation(_ header: JSONTree, path: String) throws(PayloadError) -> DateTimeText {
        if let source = header["acquisition_provenance"]?["source_creation_date_time"] {
            return try dateTime(source, "\(path).acquisition_provenance.source_creation_date_time")
        }
        if let source = header["source_creation_date_time"] { return try dateTime(source, "\(path).source_creation_date_time") }
        guard let creation = header["creation_date_time"] else {
            throw PayloadError(.missing, "neither effective_time_frame nor creation_date_time is there", offset: header.offset, path: path)
        }
        return try dateTime(creation, "\(path).creation_date_time")
    }

    private static func seconds(_ duration: JSONTree, path: String, _ bytes: Span<UInt8>) throws(PayloadError) -> Double {
        if case .number(let number)? = duration["value"]?.content, let scale = duration["unit"]?.string.flatMap({ durations[$0] }),
            let value = try? number.double(bytes), (0...longest).contains(value * scale)
        {
            return value * scale
        }
        throw PayloadError(.wrongType, "a duration has a value and a unit of us to wk", offset: duration.offset, path: path)
    }

    /// A hundred years, in seconds.
    private static let longest = 100 * 366 * 86400.0

    private static func dateTime(_ node: JSONTree, _ path: String) throws(PayloadError) -> DateTimeText {
        guard let text = node.string, let time = DateTimeText(text) else {
            throw PayloadError(.wrongType, "a date-time such as 2013-02-05T07:25:00Z is expected", offset: node.offset, path: path)
        }
        return time
    }

    private static let durations: [String: Double] = [
        "us": 1e-6, "ms": 1e-3, "sec": 1, "min": 60, "h": 3600, "d": 86400, "wk": 604_800,
    ]
}
