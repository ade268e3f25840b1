/// One item of the list that is published under `modules/<service>/exchange`.
struct ExchangeItem: Encodable {
    let name: String
    let keypath: String
    let type: Parameter.Kind
    let readonly: Bool
    let description: String
}

/// What arrives under `modules/<service>/get` and `/set`.
struct ExchangeRequest: Decodable {
    let name: String
    /// To be set; ignored by `get`.
    let value: ParameterValue?
    /// Where to answer, for MQTT 3.1.1, which has no properties.
    let responseTopic: String?
    /// Comes back in the answer, for MQTT 3.1.1.
    let id: String?
}

/// What is answered: the value, or what is wrong.
struct ExchangeAnswer: Encodable {
    let service: String
    let instance: String
    var id: String?
    var name: String?
    var value: ParameterValue?
    var error: String?
}
