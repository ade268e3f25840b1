import VigilSchema

/// When an Open mHealth measure holds: a date-time, or an interval, which counts from its start.
enum OpenMHealthTimeFrame {
    /// The time of a data point's measures.
    static func time(body: JSONTree, header: JSONTree, path: String, _ bytes: Span<UInt8>) throws(PayloadError) -> DateTimeText {
        guard let frame = body["effective_time_frame"] else { return try creation(header, path: "\(path).header") }
        let path = "\(path).body.effective_time_frame"
        if let moment = frame["date_time"] { return try dateTime(moment, "\(path).date_time") }
        guard let interval = frame["time_interval"] else {
            throw PayloadError(.missing, "date_time or time_interval is needed", offset: frame.offset, path: path)
        }
        return try start(of: interval, path: "\(path).time_interval", bytes)
    }

    /// The first versions leave the time frame out; then the time of the measure's making is the nearest there is.
    private static func creation(_ header: JSONTree, path: String) throws(PayloadError) -> DateTimeText {
        if let source = header["acquisition_provenance"]?["source_creation_date_time"] {
            return try dateTime(source, "\(path).acquisition_provenance.source_creation_date_time")
        }
        guard let creation = header["creation_date_time"] else {
            throw PayloadError(.missing, "neither effective_time_frame nor creation_date_time is there", offset: header.offset, path: path)
        }
        return try dateTime(creation, "\(path).creation_date_time")
    }

    private static func start(of interval: JSONTree, path: String, _ bytes: Span<UInt8>) throws(PayloadError) -> DateTimeText {
        if let start = interval["start_date_time"] { return try dateTime(start, "\(path).start_date_time") }
        guard let end = interval["end_date_time"], let duration = interval["duration"] else {
            throw PayloadError(
                .unsupported, "an interval needs start_date_time, or end_date_time and duration", offset: interval.offset, path: path)
        }
        let length = try seconds(duration, path: "\(path).duration", bytes)
        return try dateTime(end, "\(path).end_date_time").earlier(by: length)
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
