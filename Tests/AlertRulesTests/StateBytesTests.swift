import Testing

@testable import AlertRules

/// The layout of kept state byte by byte: what an installed version wrote must mean the same to the next one.
@Suite("The bytes of kept state")
struct StateBytesTests {
    private static func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        write(&writer)
        return writer.bytes
    }

    private static func isDamaged<Value>(_ bytes: [UInt8], _ read: (inout ByteReader) throws -> Value) -> Bool {
        var reader = ByteReader(bytes)
        do {
            _ = try read(&reader)
            return false
        } catch {
            return error is ByteReader.Damage
        }
    }

    @Test("an alert of which only flags are known takes a byte, any other twelve fields")
    func alert() throws {
        #expect(Self.bytes { AlertState(flags: .excluded).encode(into: &$0) } == [0x88])
        let alert = AlertState(
            phase: .active, severity: .critical, acknowledged: .warning, flags: [.recovered, .dataLost], rearm: .notice, silence: .warning,
            stage: 9, sequence: 1, since: 2, alarmedClock: 3, endedClock: 4, silencedUntil: 5)
        let bytes: [UInt8] = [2, 3, 2, 5, 1, 2, 9, 2, 4, 6, 10, 8]
        #expect(Self.bytes { alert.encode(into: &$0) } == bytes)
        var reader = ByteReader(bytes)
        #expect(try AlertState(&reader) == alert)
        #expect(reader.isAtEnd)
    }

    @Test(
        "an alert with what cannot be is damaged",
        arguments: [(0, 3), (1, 4), (2, 4), (3, 16), (4, 4), (5, 4)] as [(Int, UInt8)])
    func damagedAlert(index: Int, byte: UInt8) throws {
        var bytes: [UInt8] = [2, 3, 2, 5, 1, 2, 9, 2, 4, 6, 10, 8]
        #expect(!Self.isDamaged(bytes) { try AlertState(&$0) })
        bytes[index] = byte
        #expect(Self.isDamaged(bytes) { try AlertState(&$0) })
    }

    @Test(
        "flags alone are damaged by a bit that none has",
        arguments: [(0x80, false), (0x8F, false), (0x90, true), (0xC0, true)] as [(UInt8, Bool)])
    func damagedFlags(byte: UInt8, isDamaged: Bool) {
        #expect(Self.isDamaged([byte]) { try AlertState(&$0) } == isDamaged)
    }

    @Test("a level tells its readings only where they are counted")
    func level() throws {
        let counted = LevelState(phase: .pending, readings: 5, missed: 2, since: 1, sinceClock: 2)
        #expect(Self.bytes { counted.encode(into: &$0) } == [0x11, 2, 4, 10, 4])
        for (readings, bytes) in [(1, [1, 2, 4]), (2, [0x11, 2, 4, 4, 0])] as [(UInt16, [UInt8])] {
            let state = LevelState(phase: .pending, readings: readings, since: 1, sinceClock: 2)
            #expect(Self.bytes { state.encode(into: &$0) } == bytes)
        }
        let firing = LevelState(phase: .firing, readings: 1, since: 1, sinceClock: 2)
        #expect(Self.bytes { firing.encode(into: &$0) } == [2, 2, 4])
        var reader = ByteReader([0x11, 2, 4, 10, 10])
        #expect(try LevelState(&reader) == LevelState(phase: .pending, readings: 5, missed: 5, since: 1, sinceClock: 2))
        // More missed than there were, a phase that is none, and a number that is too large.
        for bytes in [[0x11, 2, 4, 10, 12], [4, 2, 4], [0x11, 2, 4, 0x80, 0x80, 0x08, 0], [0x11, 2, 4, 10, 1]] as [[UInt8]] {
            #expect(Self.isDamaged(bytes) { try LevelState(&$0) }, "\(bytes)")
        }
    }

    @Test("a comparison's memory tells its times by their distance, or the one that knows the same")
    func leaf() throws {
        let leaf = LeafState(
            time: 101, arrival: 102, value: 0.001, isSatisfied: true, isExceeded: false, gaps: 3, interval: 4, runClock: 95, unseen: 6)
        let rest: [UInt8] = [2, 4, 4, 3, 8, 9, 12]
        #expect(Self.bytes { leaf.encode(into: &$0, distance: 1, base: 100, twin: nil) } == [42] + rest)
        #expect(Self.bytes { leaf.encode(into: &$0, distance: 3, base: 100, twin: 7) } == [122, 14])
        var exceeded = leaf
        (exceeded.isSatisfied, exceeded.isExceeded, exceeded.unseen) = (false, true, 0)
        #expect(Self.bytes { exceeded.encode(into: &$0, distance: 1, base: 100, twin: nil) } == [36, 2, 4, 4, 3, 8, 9])
        #expect(Self.bytes { exceeded.encode(into: &$0, distance: 1, base: 100, twin: 1) } == [52, 2])
        var reader = ByteReader([42] + rest)
        let read = try LeafState.read(&reader, base: 100, before: [])
        #expect(read.distance == 1 && read.leaf == leaf)
    }

    @Test(
        "what a comparison refers to must stand before it and be known",
        arguments: [(0, true), (1, false), (2, false), (-1, false)] as [(Int, Bool)])
    func twins(index: Int, isFine: Bool) throws {
        let before = LeafState(time: 1, arrival: 2, value: 3)
        let bytes = [50] + Self.bytes { $0.write(index) }
        #expect(Self.isDamaged(bytes) { try LeafState.read(&$0, base: 0, before: [before]) } == !isFine)
        guard isFine else { return }
        var reader = ByteReader(bytes)
        var wanted = before
        wanted.isSatisfied = true
        #expect(try LeafState.read(&reader, base: 0, before: [before]).leaf == wanted)
    }

    @Test("two know the same of a series whatever they make of it, and not where any number differs")
    func same() {
        let leaf = LeafState(time: 1, arrival: 2, value: 3, gaps: 4, interval: 5, runClock: 6, unseen: 7)
        var other = leaf
        (other.isSatisfied, other.isExceeded) = (true, true)
        #expect(leaf.knowsSame(as: other) && other.knowsSame(as: leaf))
        other.value = 3.5
        #expect(!leaf.knowsSame(as: other))
        (other.value, other.unseen) = (3, 8)
        #expect(!leaf.knowsSame(as: other))
        var (zero, minus) = (leaf, leaf)
        (zero.value, minus.value) = (0, -0.0)
        #expect(!zero.knowsSame(as: minus))
    }

    @Test("a bucket with a single reading is told by it alone")
    func window() {
        var window = ValueWindow()
        window.add(0.001, at: 5, over: 240)
        #expect(Self.bytes { window.encode(into: &$0) } == [2, 1, 0, 10, 4])
        window.add(0.002, at: 6, over: 240)
        #expect(Self.bytes { window.encode(into: &$0) } == [2, 0, 0, 10, 4, 12, 8, 4, 8, 12] + Self.bytes { $0.write(compact: 2) })
    }

    @Test("a history tells which bins hold something, and those")
    func history() throws {
        var bins = Array(repeating: Float(0), count: 64)
        (bins[0], bins[2], bins[63]) = (1, 2, 3)
        let history = ValueHistory(bins: bins, total: 6, faded: 1)
        let mark = Int64(bitPattern: 1 | 1 << 2 | 1 << 63)
        let floats = Self.bytes { writer in for number in [1, 2, 3, 6] as [Float] { writer.write(number) } }
        let bytes = Self.bytes { $0.write(mark) } + floats + [2]
        #expect(Self.bytes { history.encode(into: &$0) } == bytes)
        var reader = ByteReader(bytes)
        #expect(try ValueHistory(&reader) == history)
    }

    @Test("a state begins with its layout's version; another one is damage")
    func layouts() throws {
        var reader = ByteReader([StateLayout.current, 77])
        try StateLayout.check(&reader)
        #expect(try reader.byte() == 77)
        for other in [0, 1, 2, 3, 4, 255] as [UInt8] { #expect(Self.isDamaged([other, 0]) { try StateLayout.check(&$0) }) }
    }

    @Test("an hour of glucose readings has no more in range than there are, and a day has 24 hours")
    func hours() {
        func tracker(_ hours: [[Int64]]) -> [UInt8] {
            Self.bytes { writer in
                for number in [0, 0, Int64(hours.count)] { writer.write(number) }
                for number in hours.joined() { writer.write(number) }
                writer.write(0)
            }
        }
        let full = (1...24).map { [Int64($0), 12, 12] }
        for hours in [[], [[7, 0, 0]], [[7, 10_000_000, 1]], full] as [[[Int64]]] {
            #expect(!Self.isDamaged(tracker(hours)) { try ScoreTracker(&$0) }, "\(hours)")
        }
        for hours in [[[7, 12, 13]], [[7, -1, -1]], [[7, 10_000_001, 1]], [[7, 1, -1]], full + [[25, 1, 1]]] as [[[Int64]]] {
            #expect(Self.isDamaged(tracker(hours)) { try ScoreTracker(&$0) }, "\(hours)")
        }
    }

    @Test("the engine's clock is three numbers")
    func clock() throws {
        var engine = AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "r", text: "{rules: []}")]), now: 5)
        #expect(engine.encodedClock == [10, 10, 0])
        try engine.restore(clock: [12, 14, 16])
        #expect(engine.clock == 6 && engine.lastNow == 7 && engine.sequenceFloor == 8)
        for damaged in [[], [12], [12, 14], [12, 14, 1]] as [[UInt8]] {
            #expect(throws: AlertEngine.StateDamage.clock) { try engine.restore(clock: damaged) }
        }
    }

    @Test("a person's place is one that can be, and the bytes are a person's")
    func indices() throws {
        let rules = try RuleSetReader.read([RuleFile(name: "r", text: "{rules: []}")])
        var engine = AlertEngine(rules: rules, now: 5)
        let first = engine.index(of: "12")
        let bytes = engine.encoded(participant: first)
        for index in [-1, AlertEngine.largestCapacity] {
            #expect(throws: AlertEngine.StateDamage.participant("13")) { try engine.restore(participant: "13", at: index, bytes) }
        }
        #expect(throws: AlertEngine.StateDamage.participant("13")) { try engine.restore(participant: "13", at: 1, [4]) }
        try engine.restore(participant: "13", at: 3, bytes)
        #expect(engine.names == ["12", "", "", "13"] && engine.knownIndex(of: "13") == 3)
        // Places between are free, and taken from the last on.
        #expect(["14", "15", "16"].map { engine.index(of: $0) } == [2, 1, 4])
    }
}
