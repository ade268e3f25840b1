/// SenML's unit symbols in UCUM.
///
/// Sources: RFC 8428 section 12.1, RFC 8798 (new primary and secondary units), UCUM 2.1. A symbol that is not in the tables
/// goes on as it is: devices that say `mm[Hg]`, which SenML lacks, are understood.
enum SenMLUnit {
    /// The UCUM unit of a SenML symbol.
    static func ucum(_ symbol: String) -> String {
        // The usual ones are the same in both.
        different[symbol] ?? symbol
    }

    /// The symbols that UCUM writes otherwise. SenML's `%` is a ratio of 0 to 1 (section 12.1, note 2); percent is `/100`.
    private static let different: [String: String] = [
        "C": "A.s", "F": "A.s/V", "l": "L", "l/s": "L/s", "/": "1", "%": "1", "count": "1", "beats": "1", "beat/min": "/min",
        "1/min": "/min", "1/s": "/s", "lat": "deg", "lon": "deg", "pH": "[pH]", "dB": "dB", "dBW": "dB[W]", "Bspl": "B[SPL]",
        "%RH": "%{RH}", "%EL": "%{EL}", "EL": "s{EL}", "B": "By", "VA": "V.A", "VAs": "V.A.s", "var": "V.A{reactive}",
        "vars": "V.A.s{reactive}", "kVA": "kV.A", "kvar": "kV.A{reactive}", "Ah": "A.h", "Wh": "W.h", "kWh": "kW.h",
        "varh": "V.A.h{reactive}", "kvarh": "kV.A.h{reactive}", "kVAh": "kV.A.h", "Wh/km": "W.h/km", "KiB": "KiBy", "GB": "GBy",
        "B/s": "By/s", "MB/s": "MBy/s", "dBm": "dB[mW]", "ppm": "[ppm]", "/100": "%", "/1000": "[ppth]", "NTU": "{NTU}",
    ]
}
