import Foundation
import Testing
import VigilSchema

@testable import CSVImport

@Suite("exports of makers in other languages")
struct TranslatedExportTests {
    private static let libreTables = [
        (
            "Appareil,Numéro de série,Horodatage de l'appareil,Type d'enregistrement,Historique de la glycémie mg/dL,Numérisation de la glycémie mg/dL,Insuline à action lente (unités),Notes",
            "15-06-2026 08:00,0,105,,,", "15-06-2026 08:15,1,,110,,"
        ),
        (
            "Dispositivo,Número de serie,Sello de tiempo del dispositivo,Tipo de registro,Historial de glucosa mg/dL,Escaneo de glucosa mg/dL,Insulina de acción larga (unidades),Notas",
            "15-06-2026 08:00,0,105,,,", "15-06-2026 08:15,1,,110,,"
        ),
        (
            "Gerät,Seriennummer,Gerätezeitstempel,Aufzeichnungstyp,Glukosewert-Verlauf mg/dL,Glukose-Teststreifen mg/dL,Depotinsulin (Einheiten),Notizen",
            "15-06-2026 08:00,0,105,,,", "15-06-2026 08:15,2,,110,,"
        ),
    ]

    @Test("LibreView", arguments: libreTables)
    func libre(header: String, first: String, second: String) throws {
        let decoded = try Decoded(
            "x,y\n\(header)\nLibre,A,\(first)\nLibre,A,\(second)\nLibre,A,15-06-2026 09:00,4,,,12,\n", options: .ofParticipant())
        #expect(decoded.survey.profile.name == "libre" && decoded.values("blood-glucose") == [105, 110] && decoded.rejects.isEmpty)
        #expect(decoded.values("insulin-long") == [12] && decoded.rows.first?.time == 1_781_510_400)
    }

    @Test(
        "Dexcom Clarity: the settings above have no time, and words for low and high are limits",
        arguments: [
            ("Zeitstempel (JJJJ-MM-TTThh:mm:ss);Ereignistyp;Glukosewert (mg/dl)", "EGW", "Niedrig"),
            ("Marca temporal (AAAA-MM-DDThh:mm:ss);Tipo de evento;Nivel de glucosa (mg/dL)", "EGV", "Bajo"),
            ("Data e ora (AAAA-MM-GGThh:mm:ss);Tipo di evento;Valore del glucosio (mg/dL)", "EGV", "Basso"),
        ])
    func clarity(header: String, event: String, low: String) throws {
        let decoded = try Decoded(
            "Index;\(header)\n1;;FirstName;\n10;2026-06-02T00:00:00;\(event);105\n11;2026-06-02T00:05:00;\(event);\(low)\n",
            options: .ofParticipant())
        #expect(decoded.rows.map(\.metric) == ["blood-glucose", "blood-glucose"] && decoded.rows[0].value == 105)
        #expect(decoded.rows[1].text == "<40" && decoded.rejects.isEmpty)
    }

    @Test("CareLink in German")
    func careLink() throws {
        let decoded = try Decoded(
            "Index;Datum;Zeit;BZ-Messwert (mg/dl);Sensorglukose (mg/dl);Abgegebene Bolusmenge (IE)\n1;15.06.2026;08:00:00;;105;\n2;15.06.2026;08:05:00;110;;4,5\n",
            options: .ofParticipant())
        #expect(decoded.survey.profile.name == "carelink" && decoded.values("blood-glucose") == [105, 110])
        #expect(decoded.values("insulin") == [4.5])
    }

    @Test("Accu-Chek: the unit of each row; a control solution's result is nobody's")
    func accuChek() throws {
        let decoded = try Decoded(
            "Date;Time;Result;Unit;Temperature warning;Out of target;Control test\n15.06.2026;08:00;105;mg/dL;;;\n15.06.2026;09:00;5.5;mmol/L;;;\n15.06.2026;10:00;300;mg/dL;;;X\n",
            options: .ofParticipant())
        #expect(decoded.values("blood-glucose") == [105, 5.5 * 18.016] && decoded.notes.contains { $0.hasPrefix("1 rows") })
    }
}

@Suite("makers' words for days, paces and counts")
struct MakersWordTests {
    @Test("a pace is minutes and seconds, in a maker's file and in anybody's")
    func pace() throws {
        let polar = try Decoded(
            "Name,Sport,Date,Start time,Duration\nJ,RUNNING,05-03-2026,07:12:00,00:30:00\nSample rate,Time,HR (bpm),Pace (min/km),Cadence\n1,00:00:01,120,05:56,80\n",
            options: .ofParticipant())
        #expect(polar.rows.first { $0.metric == "pace" }.map { ($0.value * 1000).rounded() / 1000 } == 5.933)
        let any = try Decoded("Time,Avg Pace (min/km)\n2026-03-05 07:12,05:56\n", options: .ofParticipant())
        #expect(any.rows.map { ($0.value * 1000).rounded() / 1000 } == [5.933] && any.rows[0].unit == "min/km")
    }

    @Test("Oura's scores are of sleep, readiness and activity, whatever the file is called")
    func oura() throws {
        let sleep = try Decoded(
            "day,score,timestamp,contributors.deep_sleep\n2026-03-05,81,2026-03-05T00:00:00+00:00,90\n", options: .ofParticipant())
        let readiness = try Decoded(
            "day,score,timestamp,contributors.recovery_index\n2026-03-05,72,2026-03-05T00:00:00+00:00,90\n", options: .ofParticipant())
        #expect(sleep.values("sleep-score") == [81] && readiness.values("readiness-score") == [72])
    }

    @Test("Strava: of two columns of one name, the second is in metres and seconds")
    func strava() throws {
        let decoded = try Decoded(
            "Activity ID,Activity Date,Activity Name,Activity Type,Elapsed Time,Distance,Elapsed Time,Moving Time,Distance,Average Heart Rate\n1,\"Mar 5, 2026, 7:12:00 AM\",Run,Run,1800,5.01,1800.0,1770.0,5012.3,144\n",
            options: .ofParticipant(nil))
        #expect(decoded.values("distance") == [5012.3] && decoded.values("workout-duration") == [30])
        #expect(decoded.rows.allSatisfy { $0.time == 1_772_694_720 } && decoded.values("heart-rate").isEmpty)
    }

    @Test("a bolus is insulin, Heart Minutes are minutes")
    func words() throws {
        let diary = try Decoded("DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS;REMARK\n05.03.2026;07:12;105;;;4.5;\n", options: .ofParticipant())
        #expect(diary.values("insulin") == [4.5])
        let days = try Decoded("Date,Move Minutes count,Step count,Heart Minutes\n2026-03-05,30,8000,21\n", options: .ofParticipant())
        #expect(days.rows.contains { $0.metric == "heart-minutes" && $0.unit == "min" && $0.value == 21 })
    }

    @Test("EmbracePlus: a measure a file, at milliseconds in UTC")
    func embrace() throws {
        let decoded = try Decoded(
            "timestamp_unix,timestamp_iso,participant_full_id,temperature_celsius,missing_value_reason\n1772694720000,2026-03-05T07:12:00Z,1-1-001,33.1,\n1772694780000,2026-03-05T07:13:00Z,1-1-001,,device_not_recording\n"
        )
        #expect(decoded.values("skin-temperature") == [33.1] && decoded.rows[0].time == 1_772_694_720)
        #expect(decoded.rows[0].participant == "1-1-001" && decoded.rows.count == 1)
    }

    @Test("a date beside the moments in which a night begins and ends is their interval")
    func night() throws {
        let decoded = try Decoded(
            "Date,Session Count,Start,End,AHI\n2026-03-05,1,2026-03-04T22:10:00,2026-03-05T06:10:00,2.1\n", options: .ofParticipant())
        #expect(decoded.rows.allSatisfy { $0.time == 1_772_662_200 && $0.interval == 28_800 && $0.text == nil })
        #expect(decoded.rows.contains { $0.metric == "AHI" && $0.value == 2.1 })
    }

    @Test("Cronometer's measurements: a day and a time, a metric, a unit and an amount")
    func cronometer() throws {
        let decoded = try Decoded(
            "Day,Time,Group,Metric,Unit,Amount\n2026-03-05,07:12,General,Weight,kg,71.4\n2026-03-05,07:13,General,Heart Rate,bpm,61\n",
            options: .ofParticipant())
        #expect(decoded.values("body-weight") == [71.4] && decoded.values("heart-rate") == [61])
        #expect(decoded.rows.first?.time == 1_772_694_720)
    }
}

@Suite("rows that are no measurements")
struct RowStatusTests {
    @Test("are left out and counted, in every profile that comes with the importer")
    func profiles() throws {
        for profile in BuiltIn.profiles where profile.layout == .table || profile.layout == .long {
            for header in ["is valid", "deleted", "is goal", "control test"] {
                let names = profile.requires.compactMap(\.first) + profile.time.columns.compactMap(\.first) + [header]
                var planner = TablePlanner(profile, header: names, options: .ofParticipant())
                guard let plan = try? planner.plan(path: "x.csv") else { continue }
                let reads = profile.columns.contains { $0.kind != .ignore && $0.headers.contains { HeaderName($0) == HeaderName(header) } }
                #expect(
                    reads || profile.name == BuiltIn.vigilExport.name || plan.statusColumns.contains { $0.index == names.count - 1 },
                    "\(profile.name): \(header)")
            }
        }
    }

    @Test("a treatment that was never given is none")
    func treatment() throws {
        let decoded = try Decoded(
            "eventType,created_at,insulin,isValid\nBolus,2026-03-05T07:12:00Z,4,true\nBolus,2026-03-05T08:12:00Z,9,false\n",
            options: .ofParticipant(nil))
        #expect(decoded.values("insulin") == [4] && decoded.notes.contains { $0.hasPrefix("1 rows") })
    }

    @Test("a number of steps that was aimed at is no status")
    func goal() throws {
        let decoded = try Decoded("Date,Steps,Goal\n2026-03-05,8000,10000\n", options: .ofParticipant())
        #expect(decoded.values("steps") == [8000])
    }
}

@Suite("files of other programs are refused in one sentence, with the next step")
struct ForeignFileTests {
    @Test("HL7, clinical documents")
    func refusals() {
        for text in ["MSH|^~\\&|LAB|X\nPID|1\n", "<?xml version=\"1.0\"?><ClinicalDocument xmlns=\"urn:hl7-org:v3\"></ClinicalDocument>"] {
            let words = ForeignFormat.refusal(Array(text.utf8))
            #expect(words?.contains("FHIR") == true)
        }
    }

    @Test("dates in both orders are refused with the next step")
    func mixed() {
        let error = #expect(throws: ImportError.self) {
            try Decoded("Date,Pulse\n25/03/2026,61\n03/26/2026,62\n27/03/2026,63\n03/28/2026,64\n", options: .ofParticipant())
        }
        #expect(error?.message.contains("2024-03-25") == true)
    }

    @Test("water that was drunk is in one unit, whatever the account's")
    func water() {
        #expect(HealthType.kept("fl_oz_us").unit == "mL" && HealthType.kept("L").scale == 1000 && HealthType.kept("mg").unit == "mg")
    }
}
