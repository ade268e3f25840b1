import VigilSchema

/// The members under which makers report a device's own state: battery, signal strength, firmware, last contact. They count in every mapping,
/// whatever it leaves out, unless it reads them itself.
enum DeviceMembers {
    fileprivate enum Meaning {
        case battery
        /// Where a small number is a code, and the charge else.
        case batteryState
        /// The battery is low where the value is true.
        case lowBattery
        /// The battery is low where the value is false.
        case goodBattery
        /// In dBm where it is below zero.
        case signal
        /// From 0 to 255, as Zigbee counts.
        case linkQuality
        case firmware
        case contact
        /// The first of the receivers that heard the device.
        case receivers
    }

    /// Returns the state that an object reports, in its own members and those of objects within.
    /// - Parameter read: The keys of the object that the mapping reads itself.
    static func state(of record: MappingValue, read: Set<String>, received: Timestamp) -> DeviceState {
        var state = DeviceState()
        var left = maximumMembers
        take(record, read: read, received: received, depth: 0, left: &left, into: &state)
        return state
    }

    /// Returns whether a key reports a device's state.
    static func isMember(_ key: String) -> Bool { meanings[hash(key)] != nil }

    /// Returns whether a record that holds no reading reports its device's state and measures nothing else.
    static func areAll(of record: MappingValue, read: Set<String>) -> Bool {
        record.objectMembers.allSatisfy { member in
            let key = member.key.text
            if member.value.isBlank || member.key == MappingValue.parentKey || isMember(key) || read.contains(key) { return true }
            return TimeName(key) != nil && member.value.isScalar || isState(member.value)
        }
    }

    private static func isState(_ value: MappingValue) -> Bool {
        switch value {
        case .object: areAll(of: value, read: [])
        case .array(let elements): elements.allSatisfy(isState)
        case .boolean: true
        default: value.measure == nil || TimeShape.isTime(value)
        }
    }

    private static func take(
        _ record: MappingValue, read: Set<String>, received: Timestamp, depth: Int, left: inout Int, into state: inout DeviceState
    ) {
        for member in record.objectMembers where member.key != MappingValue.parentKey {
            left -= 1
            guard left > 0 else { return }
            if let meaning = meanings[hash(member.key.text)] {
                if !member.value.isScalar || !read.contains(member.key.text) { meaning.take(member.value, received, into: &state) }
            }
            guard depth < 3, case .object = member.value else { continue }
            take(member.value, read: [], received: received, depth: depth + 1, left: &left, into: &state)
        }
    }

    /// The members that are looked at, however many there are.
    private static let maximumMembers = 300

    // MARK: - Vocabulary

    /// By the hash of the key's letters and digits, so that a key is looked up without a copy of it.
    private static let meanings: [UInt64: Meaning] = {
        var meanings: [UInt64: Meaning] = [:]
        for (words, meaning) in rows { for word in words.split(separator: " ") { meanings[hash(String(word))] = meaning } }
        return meanings
    }()

    private static let rows: [(String, Meaning)] = [
        (
            "battery batterylevel batterypercent batterypercentage batterypct batteryperc batterycharge batterychargelevel batterysoc "
                + "batterycapacity batteryremaining batteryremain remainingbattery batteryvalue batterylife "
                + "batt battlevel battpercent battpct battperc bat batlevel batpercent batpct batpercentage devicebattery devicebatterylevel "
                + "sensorbattery watchbattery uploaderbattery trackerbattery blebattery chargelevel electricity electricquantity akku akkustand "
                + "batterie batteriestand ladestand ladezustand batería bateria batteria batterij",
            .battery
        ),
        ("batterystate batterystatus", .batteryState),
        ("batterylow lowbattery lowbatt battlow batlow islowbattery isbatterylow batteryalarm batterywarning", .lowBattery),
        ("batteryok battok batok", .goodBattery),
        (
            "rssi signal signalstrength signallevel signaldbm signalrssi wifirssi wifisignal wifisignalstrength wifistrength wifi bluetoothrssi "
                + "btrssi blerssi scanrssi rssidbm devicerssi lorarssi gsmsignal signalgsm rsrp",
            .signal
        ),
        ("linkquality lqi", .linkQuality),
        (
            "firmware firmwareversion firmwarever firmwarerevision firmwarerev fwversion fwver fwrev fw softwareversion swversion swver "
                + "devicesoftwareversion devicefirmware devicefirmwareversion sensorfirmware mcuversion",
            .firmware
        ),
        (
            "lastseen lastseenat lastcontact lastsync lastsyncat lastsynced lastsyncedat lastsynctime lastsuccessfulsync lastcommunication "
                + "lastheard lastheardat lastconnected lastconnection lastonline lastupload lastuploadtime",
            .contact
        ),
        ("rxmetadata rxinfo", .receivers),
    ]

    /// FNV-1a of a key's letters and digits in small letters.
    private static func hash(_ key: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        guard key.utf8.count <= 40 else { return hash }
        for byte in key.utf8 {
            let small: UInt8
            switch byte {
            case 0x41...0x5A: small = byte | 0x20
            case 0x30...0x39, 0x61...0x7A, 0x80...: small = byte
            default: continue
            }
            hash = (hash ^ UInt64(small)) &* 0x100_0000_01B3
        }
        return hash
    }
}

extension DeviceMembers.Meaning {
    /// Takes the first that can be read.
    fileprivate func take(_ value: MappingValue, _ received: Timestamp, into state: inout DeviceState) {
        switch self {
        case .battery: state.battery = state.battery ?? Self.charge(value)
        case .batteryState:
            guard let charge = Self.charge(value),
                charge > Self.highestCode || value.text?.utf8.last == UInt8(ascii: "%") || value.measure == nil
            else { return }
            state.battery = state.battery ?? charge
        case .lowBattery: if value.isTrue { state.battery = state.battery ?? DeviceState.lowBattery }
        case .goodBattery: if value.isFalse { state.battery = state.battery ?? DeviceState.lowBattery }
        case .signal:
            guard let strength = Self.strength(value) else { return }
            // A strength in dBm counts before any other.
            if state.signal == nil || strength.hasSuffix("dBm") && !(state.signal ?? "").hasSuffix("dBm") { state.signal = strength }
        case .linkQuality:
            guard state.signal == nil, let quality = value.measure?.number, (0...255).contains(quality) else { return }
            state.signal = "LQI \(Int(quality))"
        case .firmware:
            guard state.firmware == nil, let text = (value["version"] ?? value).text, (1...64).contains(text.utf8.count) else { return }
            state.firmware = text
        case .contact:
            guard let time = MappingTime().moment(value)?.time, time >= MappingTime.earliest, time < received.advanced(bySeconds: 86_400)
            else { return }
            state.contact = max(state.contact ?? time, time)
        case .receivers:
            if let first = value[0] { Self.signal.take(first["rssi"] ?? .null, received, into: &state) }
        }
    }

    private static let levels: [MappingKey] = ["level", "percent", "percentage", "value", "charge", "remaining", "soc", "capacity"]

    /// The charge in per cent; nil for volts, states and codes.
    private static func charge(_ value: MappingValue) -> Double? {
        let given = levels.lazy.compactMap { value[$0] }.first ?? value
        if case .boolean = given { return nil }
        guard let (number, named) = given.measure, case let unit = named.isEmpty ? value.givenUnit ?? "" : named else {
            return given.text.flatMap { lowWords.contains($0.lowercased()) ? DeviceState.lowBattery : nil }
        }
        guard unit.isEmpty || ["%", "percent", "pct"].contains(unit.lowercased()), (0...100).contains(number) else { return nil }
        guard unit.isEmpty, number != number.rounded(), number < 5 else { return unit.isEmpty && number == 1 ? nil : number }
        // A fraction of the whole; above it, volts.
        return number < 1 ? number * 100 : nil
    }

    /// Makers number the states of a battery from 0 on, most to 4.
    private static let highestCode = 9.0
    private static let lowWords: Set = ["low", "critical", "empty", "very low", "very_low", "verylow", "replace"]

    private static func strength(_ value: MappingValue) -> String? {
        if case .boolean = value { return nil }
        let given = value["rssi"] ?? value["RSSI"] ?? value["strength"] ?? value["value"] ?? value
        guard let (number, named) = given.measure, number != 0, (-150...100).contains(number) else { return nil }
        // A positive fraction without a unit is a signal that was measured.
        guard number < 0 || number == number.rounded() || !named.isEmpty else { return nil }
        let unit = named.isEmpty ? value.givenUnit ?? (number < 0 ? "dBm" : "") : named
        let digits = number == number.rounded() ? "\(Int(number))" : "\((number * 10).rounded() / 10)"
        return unit.isEmpty ? digits : "\(digits) \(unit.cut(characters: 8))"
    }
}
