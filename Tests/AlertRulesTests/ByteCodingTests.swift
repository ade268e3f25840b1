import Testing

@testable import AlertRules

/// The bytes of kept state, which a later version must read as well.
@Suite("Numbers and texts as bytes")
struct ByteCodingTests {
    private static func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        write(&writer)
        return writer.bytes
    }

    /// Reads all of the bytes, and not one more.
    private static func read<Value>(_ bytes: [UInt8], _ read: (inout ByteReader) throws -> Value) throws -> Value {
        for count in bytes.indices {
            var short = ByteReader(Array(bytes[..<count]))
            #expect(throws: ByteReader.Damage.self) { try read(&short) }
        }
        var reader = ByteReader(bytes + [0])
        let value = try read(&reader)
        #expect(!reader.isAtEnd)
        _ = try reader.byte()
        #expect(reader.isAtEnd)
        return value
    }

    @Test(
        "writes whole numbers with their sign last, seven bits a byte, the lowest first",
        arguments: [
            (0, [0x00]), (-1, [0x01]), (1, [0x02]), (63, [0x7E]), (-64, [0x7F]), (64, [0x80, 0x01]), (-65, [0x81, 0x01]),
            (8191, [0xFE, 0x7F]), (8192, [0x80, 0x80, 0x01]), (Int64.max, [0xFE] + Array(repeating: 0xFF, count: 8) + [0x01]),
            (Int64.min, Array(repeating: 0xFF, count: 9) + [0x01]),
        ] as [(Int64, [UInt8])])
    func integers(number: Int64, bytes: [UInt8]) throws {
        #expect(Self.bytes { $0.write(number) } == bytes)
        #expect(try Self.read(bytes) { try $0.integer() } == number)
    }

    @Test("refuses a whole number of more than ten bytes")
    func longIntegers() {
        for count in [10, 11, 12] {
            var reader = ByteReader(Array(repeating: 0xFF, count: count) + [0x01])
            #expect(throws: ByteReader.Damage.self) { try reader.integer() }
        }
    }

    @Test("writes floating-point numbers as they are, the lowest byte first")
    func numbers() throws {
        #expect(Self.bytes { $0.write(1.0) } == [0, 0, 0, 0, 0, 0, 0xF0, 0x3F])
        #expect(Self.bytes { $0.write(Float(1)) } == [0, 0, 0x80, 0x3F])
        for number in [0, -0.0, 1, -37.25, .pi, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude] as [Double] {
            #expect(try Self.read(Self.bytes { $0.write(number) }) { try $0.number() }.bitPattern == number.bitPattern)
        }
    }

    @Test(
        "writes a number of a few digits in few bytes, and any other in nine",
        arguments: [
            (0, [0]), (1, [0xA0, 0x1F]), (36.6, [0xE0, 0xF7, 0x08]), (-0.001, [0x03]), (0.001, [0x04]),
            (72, [0x80, 0xCA, 0x11]),
        ] as [(Double, [UInt8])])
    func compact(number: Double, bytes: [UInt8]) throws {
        #expect(Self.bytes { $0.write(compact: number) } == bytes)
        #expect(try Self.read(bytes) { try $0.compactNumber() } == number)
    }

    @Test("gives every number back to the last bit", arguments: [-0.0, 1.0 / 3, 0.0005, .nan, .infinity, 1e15, 1e300, -1e-300])
    func exact(number: Double) throws {
        let bytes = Self.bytes { $0.write(compact: number) }
        #expect(bytes.count == 9 && bytes[0] == 2)
        #expect(try Self.read(bytes) { try $0.compactNumber() }.bitPattern == number.bitPattern)
    }

    @Test("refuses a mark of a compact number that was never written", arguments: [3, -1, 5] as [Int64])
    func damagedCompact(head: Int64) {
        var reader = ByteReader(Self.bytes { $0.write(head) } + Array(repeating: 0, count: 8))
        #expect(throws: ByteReader.Damage.self) { try reader.compactNumber() }
    }

    @Test("gives texts and what may be missing back")
    func texts() throws {
        for text in ["", "a", "größer als 90 %"] {
            #expect(try Self.read(Self.bytes { $0.write(text) }) { try $0.text() } == text)
        }
        #expect(Self.bytes { $0.write("ab") } == [4, 0x61, 0x62])
        for text in [nil, "", "Dr. A"] as [String?] {
            #expect(try Self.read(Self.bytes { $0.write(text) }) { try $0.optionalText() } == text)
        }
        for number in [nil, 0, 1.75] as [Double?] {
            #expect(try Self.read(Self.bytes { $0.write(number) }) { try $0.optionalNumber() } == number)
        }
        for time in [nil, 0, -5] as [Int64?] {
            #expect(try Self.read(Self.bytes { $0.write(time) }) { try $0.optionalTime() } == time)
        }
        for isOn in [true, false] { #expect(try Self.read(Self.bytes { $0.write(isOn) }) { try $0.bool() } == isOn) }
        #expect(Self.bytes { $0.write(true) } == [1])
    }

    @Test("a text or a list is at most as long as the bytes that are left")
    func counts() throws {
        var whole = ByteReader(Self.bytes { $0.write(3) } + [1, 2, 3])
        #expect(try whole.count() == 3)
        for count in [4, -1] {
            var reader = ByteReader(Self.bytes { $0.write(count) } + [1, 2, 3])
            #expect(throws: ByteReader.Damage.self) { try reader.count() }
        }
    }

    @Test(
        "times are far from where they cannot be added up any more",
        arguments: [(1 << 60, true), ((1 << 60) + 1, false), (-1 << 60, true), ((-1 << 60) - 1, false), (0, true), (.min, false)]
            as [(Int64, Bool)])
    func times(time: Int64, isFine: Bool) throws {
        let bytes = Self.bytes { $0.write(time) }
        var (plain, orNever, fromBase) = (ByteReader(bytes), ByteReader(bytes), ByteReader(bytes))
        #expect((try? plain.time()) == (isFine ? time : nil))
        #expect((try? orNever.timeOrNever()) == (isFine || time == .min ? time : nil))
        #expect((try? fromBase.time(from: 0)) == (isFine ? time : nil))
    }

    @Test(
        "a time that is written as a distance lies that far from its base, and not beyond what times can be",
        arguments: [(5, -7, -2), (100, 1, 101), ((1 << 60) - 1, 1, 1 << 60), (1 << 60, 1, nil), (-1 << 60, -1, nil), (2, .max, nil)]
            as [(Int64, Int64, Int64?)])
    func distances(base: Int64, distance: Int64, time: Int64?) {
        var reader = ByteReader(Self.bytes { $0.write(distance) })
        #expect((try? reader.time(from: base)) == time)
    }

    @Test(
        "numbers of events leave as many for those to come",
        arguments: [(0, true), (2_147_483_647, true), (2_147_483_648, false), (-1, false), (1 << 32, false)] as [(Int64, Bool)])
    func sequences(number: Int64, isFine: Bool) {
        var reader = ByteReader(Self.bytes { $0.write(number) })
        #expect((try? reader.sequence()).map(Int64.init) == (isFine ? number : nil))
    }

    @Test(
        "a share is a count, neither negative nor endless",
        arguments: [(0, true), (1e9, true), (1.001e9, false), (-0.001, false), (.nan, false)] as [(Double, Bool)])
    func shares(number: Double, isFine: Bool) {
        var reader = ByteReader(Self.bytes { $0.write(Float(number)) })
        #expect((try? reader.share()) == (isFine ? Float(number) : nil))
    }
}

@Suite("Commands as bytes")
struct RequestCodingTests {
    private static var profile: PersonFacts {
        var facts = PersonFacts()
        (facts.born, facts.usesScale2, facts.height) = (-5_000_000, true, 1.75)
        return facts
    }
    private static var pregnant: PersonFacts {
        var facts = PersonFacts()
        facts.isPregnant = true
        facts.delivered = 1_767_000_000_000_000
        return facts
    }
    static let commands: [AlertCommand] = [
        .acknowledge, .unsilence, .clear(until: 77), .silence(until: 88, upTo: .warning), .silence(until: 89, upTo: nil),
        .setThreshold(.critical, 101.5), .setThreshold(nil, nil), .setProfile(profile), .setProfile(pregnant), .setProfile(PersonFacts()),
    ]

    @Test("are read as they were written", arguments: commands)
    func roundTrip(command: AlertCommand) throws {
        for reason in [nil, "why"] as [String?] {
            let request = AlertRequest(command: command, actor: "nurse", reason: reason, time: 99)
            var writer = ByteWriter()
            request.encode(into: &writer)
            var reader = ByteReader(writer.bytes)
            #expect(try AlertRequest(&reader) == request)
            #expect(reader.isAtEnd)
        }
    }

    @Test("keep their numbers, and one from before clearances had an end lasts as long as is allowed")
    func numbers() throws {
        let kinds = Self.commands.map { command in
            var writer = ByteWriter()
            AlertRequest(command: command, actor: "", time: 0).encode(into: &writer)
            return writer.bytes[3]
        }
        #expect(kinds == [0, 1, 6, 3, 3, 4, 4, 5, 5, 5])
        var former = ByteReader([0, 0, 0, 2])
        #expect(try AlertRequest(&former).command == .clear(until: AlertCommand.asLongAsAllowed))
        for unknown in [7, 200] as [UInt8] {
            var reader = ByteReader([0, 0, 0, unknown])
            #expect(throws: ByteReader.Damage.self) { try AlertRequest(&reader) }
        }
        var noSeverity = ByteReader([0, 0, 0, 3, 2, 4])
        #expect(throws: ByteReader.Damage.self) { try AlertRequest(&noSeverity) }
    }
}
