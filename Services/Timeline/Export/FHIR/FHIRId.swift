import VigilSchema

/// Ids of FHIR resources: 1–64 of `A-Za-z0-9-.`, made from Vigil's own identities.
enum FHIRId {
    /// The name itself where FHIR allows it (it lacks `_`), else a hash of it.
    static func of(participant: String) -> String {
        participant.utf8.contains(UInt8(ascii: "_")) ? "p-" + hash([participant]) : participant
    }

    /// A hash of the identity, 128 bits: a collision among 10^12 observations has a chance of about 10^-15.
    static func of(_ observation: Observation, in group: ObservationGroup) -> String {
        hash([
            group.participant, observation.metric, group.source, String(observation.time.microseconds), String(observation.sequence),
        ])
    }

    /// FNV-1a, 128 bits (http://www.isthe.com/chongo/tech/comp/fnv), as 32 hexadecimal digits.
    private static func hash(_ parts: [String]) -> String {
        var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B
        for part in parts {
            for byte in part.utf8 { hash = (hash ^ UInt128(byte)) &* prime }
            // No part holds a byte 0xFF, so that it keeps "a" + "bc" and "ab" + "c" apart.
            hash = (hash ^ 0xFF) &* prime
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
