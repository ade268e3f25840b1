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
            writer.write(profile.born)
            writer.write(profile.isPregnant)
            writer.write(profile.usesScale2)
            writer.write(profile.height)
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
            var profile = PersonFacts()
            profile.born = try reader.optionalTime()
            profile.isPregnant = try reader.bool()
            profile.usesScale2 = try reader.bool()
            profile.height = try reader.optionalNumber()
            self = .setProfile(profile)
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
