import VigilSchema

/// Which of the JSON formats a document is in, told from the keys of its first object.
enum JSONShape {
    case native
    case senml
    case openMHealth
    case sensors

    /// Looks at one key after the other until one decides. A native reading's first key decides, so the usual case costs
    /// nothing. What cannot be told, broken JSON included, counts as native, whose errors are then told.
    static func of(_ bytes: Span<UInt8>) -> JSONShape? {
        var cursor = JSONCursor(offset: 0)
        let isArray = cursor.take("[", bytes)
        guard cursor.take("{", bytes) else { return isArray ? .native : nil }
        do {
            repeat {
                let key = try cursor.key(bytes)
                if let shape = shape(of: key, bytes) { return shape }
                try cursor.skipValue(bytes)
            } while try cursor.another(closing: "}", bytes)
        } catch {
            return .native
        }
        return .native
    }

    private static func shape(of key: RawString, _ bytes: Span<UInt8>) -> JSONShape? {
        let packed = key.packed(bytes)
        switch packed {
        // metric, time, value, samples, unit
        case 0x6369_7274_656D, 0x656D_6974, 0x65_756C_6176, 0x73_656C_706D_6173, 0x7469_6E75: return .native
        // header, body
        case 0x7265_6461_6568, 0x7964_6F62: return .openMHealth
        default: break
        }
        if SenMLLabel(packed: packed) != nil { return .senml }
        if key.equals("observations", bytes) { return .native }
        return SensorsDocument.isEnvelope(key, bytes) ? .sensors : nil
    }
}
