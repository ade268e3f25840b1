/// How far the decoding of a batch has come, for the path in an error.
struct BatchPath: CustomStringConvertible {
    var group: Int?
    var observation: Int?
    var field = ""

    var description: String {
        var path = "$"
        if let group { path += ".groups[\(group)]" }
        if let observation { path += ".observations[\(observation)]" }
        return field.isEmpty ? path : path + "." + field
    }
}
