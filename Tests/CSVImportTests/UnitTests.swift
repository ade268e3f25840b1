import Foundation
import Settings
import Testing

@testable import CSVImport

@Suite("units are never guessed")
struct UnitTests {
    private func options(_ units: [String: String] = [:]) -> ImportOptions {
        var options = ImportOptions()
        options.participant = "p"
        options.zone = "UTC"
        options.units = units
        return options
    }

    private func table(_ header: String, _ values: [String]) -> String {
        "time,\(header)\n" + values.enumerated().map { "\(1_469_477_616 + $0 * 60),\($1)\n" }.joined()
    }

    @Test(
        "asks where a column fits another unit better, or more than one, and shows its range under each",
        arguments: [
            ("glucose", ["7.0", "12.3", "5.5"], "as mmol/L from 99.09 to 221.6 mg/dL"),
            ("glucose", ["22", "25"], "as mg/dL from 22 to 25 mg/dL"),
            ("weight", ["70", "71"], "as [lb_av] from 31.75 to 32.21 kg"),
            ("distance", ["5.2", "3.1"], "as [mi_i] from 4988.97 to 8368.59 m"),
            ("distance", ["8000", "12000"], "as m from 8000 to 12000 m"),
            ("temperature", ["97.9", "99.1"], "as [degF] from 36.61 to 37.28 Cel"),
            ("energy", ["2000", "2100"], "as kJ from 478.01 to 501.91 kcal"), ("spo2", ["0.97", "0.98"], "as 1 from 97 to 98 %"),
            ("Glucose (mg/dL)", ["5.5", "6.1"], "which its numbers contradict"), ("height", ["1.80"], "as m from 180 to 180 cm"),
        ])
    func asked(header: String, values: [String], range: String) throws {
        let error = try #require(throws: ImportError.self) { try Decoded(table(header, values), options: options()) }
        #expect(error.code == .ambiguous && error.exitCode.rawValue == 6)
        #expect(error.message.contains(range) && error.message.contains("--unit '\(header)="), "\(error.message)")
    }

    @Test(
        "imports what only one unit makes believable, and says so",
        arguments: [
            ("glucose", ["95", "140"], 95.0, "mg/dL"), ("temperature", ["36.6", "38.1"], 36.6, "Cel"), ("height", ["172"], 172.0, "cm"),
        ])
    func settled(header: String, values: [String], first: Double, unit: String) throws {
        let decoded = try Decoded(table(header, values), options: options())
        #expect(decoded.rows.first?.value == first && decoded.rows.first?.unit == unit)
        #expect(decoded.survey.warnings.contains { $0.contains("names no unit; taken as \(unit)") })
    }

    @Test("takes the unit from the user, the header, a row below it, and a column beside it")
    func named() throws {
        #expect(try Decoded(table("glucose", ["7.0"]), options: options(["glucose": "mmol/L"])).rows[0].value == 7 * 18.016)
        #expect(try Decoded(table("Glucose", ["7.0"]), options: options(["blood-glucose": "mmol/l"])).rows[0].value == 7 * 18.016)
        for header in ["Glucose (mmol/L)", "glucose_mmol_l", "Glucose mmol/L", "glucose [mmol/l]"] {
            #expect(try Decoded(table(header, ["7.0"]), options: options()).rows[0].value == 7 * 18.016, "\(header)")
        }
        let below = try Decoded("time,weight,temp\n,lb,°F\n1469477616,150,98.6\n", options: options())
        #expect(abs(below.rows[0].value - 68.0388555) < 1e-9 && abs(below.rows[1].value - 37) < 1e-9)
        let beside = try Decoded("time,metric,value,unit\n1469477616,glucose,7,mmol/L\n1469477617,glucose,120,mg/dL\n", options: options())
        #expect(beside.values("blood-glucose") == [7 * 18.016, 120])
    }

    @Test("asks of long tables too, metric by metric")
    func long() throws {
        let error = #expect(throws: ImportError.self) {
            try Decoded("time,metric,value\n1469477616,glucose,7\n1469477617,pulse,60\n", options: options())
        }
        #expect(error?.code == .ambiguous && error?.message.contains("\"glucose\"") == true)
        #expect(try Decoded("time,metric,value\n1469477616,pulse,60\n", options: options()).values("heart-rate") == [60])
    }

    @Test("tells pounds and miles by the column beside: a body-mass index, or steps")
    func evidence() throws {
        let home = { (weight: String) in
            "participant-id,timestamp,weight,bmi\n" + (0..<5).map { "p,\(1_469_477_616 + $0),\(weight),23.7\n" }.joined()
        }
        #expect(try Decoded(home("86.2")).values("body-weight").first == 86.2)
        let pounds = #expect(throws: ImportError.self) { try Decoded(home("153.99")) }
        #expect(pounds?.message.contains("--unit 'weight=[lb_av]'") == true, "\(pounds?.message ?? "")")
        let walk = { (distance: String) in
            "participant-id,timestamp,step-count,distance-walk-run\n"
                + (0..<5).map { "p,\(1_469_477_616 + $0),10219,\(distance)\n" }.joined()
        }
        #expect(try Decoded(walk("8.18")).values("distance").first == 8180)
        #expect(throws: ImportError.self) { try Decoded(walk("4.5")) }
    }

    @Test("takes neither a meal's fat for body fat nor what was eaten for what was burned")
    func food() throws {
        let meal = try Decoded("date,meal,calories,fat,protein\n2024-03-25,lunch,700,20,30\n", options: options())
        #expect(meal.values("food-energy") == [700] && meal.values("energy").isEmpty && meal.values("body-fat").isEmpty)
        let day = try Decoded("date,calories,fat\n2024-03-25,2100,20\n", options: options())
        #expect(day.values("energy") == [2100] && day.values("body-fat") == [20])
    }

    @Test("keeps the unit of a column that it does not know, and says loudly which are unknown")
    func unknown() throws {
        let decoded = try Decoded("time,pulse,Ketones (mmol/L),Puff [U/x],colour\n1469477616,60,0.4,2,red\n", options: options())
        #expect(decoded.rows.first { $0.metric == "Ketones" }?.unit == "mmol/L")
        #expect(decoded.rows.first { $0.metric == "Puff" }?.unit == "U/x")
        #expect(decoded.survey.warnings.contains { $0.hasPrefix("3 columns were unknown") }, "\(decoded.survey.warnings)")
    }

    @Test("a column that only says temperature is a body's where its numbers are, and is asked about where they are skin's or a room's")
    func temperature() throws {
        let body = try Decoded(table("temp", ["36.6", "37.1", "38.9"]), options: options())
        #expect(
            body.values("body-temperature") == [36.6, 37.1, 38.9]
                && body.survey.warnings.contains { $0.contains("as body-temperature, of which") })
        for header in ["temp", "Temperature", "Temp (°C)", "Temperatur"] {
            let error = #expect(throws: ImportError.self) { try Decoded(table(header, ["30.1", "31.2", "29.8"]), options: options()) }
            #expect(error?.code == .ambiguous && error?.message.contains("--metric '\(header)=skin-temperature'") == true)
        }
        var said = options()
        said.metrics = ["temp": "skin-temperature"]
        #expect(try Decoded(table("temp", ["30.1", "31.2"]), options: said).values("skin-temperature") == [30.1, 31.2])
        // The unit is another question.
        let fahrenheit = #expect(throws: ImportError.self) { try Decoded(table("temp", ["98.6", "99.1"]), options: options()) }
        #expect(fahrenheit?.message.contains("--unit 'temp=[degF]'") == true)
        let degrees = try Decoded(table("temp", ["98.6", "99.1"]), options: options(["temp": "[degF]"]))
        #expect(degrees.values("body-temperature").map { ($0 * 10).rounded() / 10 } == [37, 37.3])
        #expect(try Decoded(table("skin temperature (°C)", ["30.1"]), options: options()).values("skin-temperature") == [30.1])
    }

    @Test("numbers are decimal ones: no hexadecimal, no infinity, in tables and in JSON")
    func decimals() throws {
        let table = try Decoded(table("pulse", ["0x3C", "inf", "61"]), options: options())
        #expect(table.values("heart-rate") == [61] && table.rejects.count == 2)
        #expect(throws: ImportError.self) {
            try Decoded.all("[{\"timestamp\":1469477616,\"pulse\":0x3C}]", name: "x.json", options: options())
        }
        let json = try Decoded.all(
            "[{\"timestamp\":1469477616,\"pulse\":61},{\"timestamp\":1469477617,\"pulse\":Infinity},{\"timestamp\":1469477618,\"pulse\":\"0x3D\"}]",
            name: "x.json", options: options())
        #expect(json.first?.values("heart-rate") == [61] && json.first?.rejects.count == 2)
    }
}
