extension AlertRequest {
    package func encode(into writer: inout ByteWriter) {
        writer.write(actor)
        writer.write(reason)
        writer.write(time)
        switch command {
        case .acknowledge: writer.write(UInt8(0))
        case .unsilence: writer.write(UInt8(1))
        case .clear(let end):
            writer.write(UInt8(6))
            writer.write(end)
        case .silence(let end, let severity):
            writer.write(UInt8(3))
            writer.write(end)
            writer.write(severity?.rawValue ?? 0)
        case .setThreshold(let severity, let value):
            writer.write(UInt8(4))
            writer.write(severity?.rawValue ?? 0)
            writer.write(value)
        case .setProfile(let profile):
            writer.write(UInt8(5))
            profile.encode(into: &writer)
        }
    }

    package init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let (actor, reason, time) = (try reader.text(), try reader.optionalText(), try reader.time())
        self.init(command: try AlertCommand(&reader), actor: actor, reason: reason, time: time)
    }
}

extension AlertCommand {
    fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        switch try reader.byte() {
        case 0: self = .acknowledge
        case 1: self = .unsilence
        // As it was written before clearances had an end.
        case 2: self = .clear(until: AlertCommand.asLongAsAllowed)
        case 3: self = .silence(until: try reader.time(), upTo: try reader.optionalSeverity())
        case 4: self = .setThreshold(try reader.optionalSeverity(), try reader.optionalNumber())
        case 5:
            self = .setProfile(try PersonFacts(&reader))
        case 6: self = .clear(until: try reader.time())
        default: throw ByteReader.Damage()
        }
    }
}

extension ByteReader {
    /// A severity, `none` meaning nil.
    fileprivate mutating func optionalSeverity() throws(Damage) -> Severity? {
        let severity = try severity()
        return severity == .none ? nil : severity
    }
}

extension PersonFacts {
    func encode(into writer: inout ByteWriter) {
        writer.write(born)
        // Its second bit: the date of a birth follows, which earlier versions did not know.
        writer.write(UInt8((isPregnant ? 1 : 0) | (delivered == nil ? 0 : 2)))
        if let delivered { writer.write(delivered) }
        writer.write(usesScale2)
        writer.write(height)
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        self.init()
        born = try reader.optionalTime()
        let pregnancy = try reader.byte()
        isPregnant = pregnancy & 1 != 0
        if pregnancy & 2 != 0 { delivered = try reader.time() }
        usesScale2 = try reader.bool()
        height = try reader.optionalNumber()
    }
}
