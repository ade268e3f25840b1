import Testing
import VigilSchema

@testable import CSVImport

/// Samples written for these tests, after Garmin's and Topografix's schemas and the layouts that public readers show.
@Suite("trainings, nights and beats")
struct TrainingTests {
    @Test("TCX: each point's values, a lap's summary over its time, and no places")
    func tcx() throws {
        let decoded = try #require(
            try Decoded.all(
                """
                <?xml version="1.0"?><TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities>
                <Activity Sport="Running"><Id>2026-03-05T07:12:00Z</Id><Lap StartTime="2026-03-05T07:12:00Z"><TotalTimeSeconds>60</TotalTimeSeconds>
                <DistanceMeters>150</DistanceMeters><Calories>12</Calories><AverageHeartRateBpm><Value>140</Value></AverageHeartRateBpm><Track>
                <Trackpoint><Time>2026-03-05T07:12:00Z</Time><Position><LatitudeDegrees>52</LatitudeDegrees></Position>
                <DistanceMeters>0</DistanceMeters><HeartRateBpm xsi:type="x"><Value>138</Value></HeartRateBpm><Cadence>80</Cadence>
                <Extensions><ns3:TPX><ns3:Speed>2.5</ns3:Speed><ns3:Watts>210</ns3:Watts></ns3:TPX></Extensions></Trackpoint>
                <Trackpoint><Time>2026-03-05T07:12:01Z</Time><HeartRateBpm><Value>139</Value></HeartRateBpm></Trackpoint>
                </Track></Lap></Activity></Activities></TrainingCenterDatabase>
                """, name: "a.tcx", options: .ofParticipant("Europe/Berlin")
            ).first)
        #expect(decoded.survey.profile.name == "training-xml" && decoded.rejects.isEmpty)
        #expect(decoded.values("heart-rate") == [138, 139] && decoded.rows[0].time == 1_772_694_720)
        #expect(decoded.values("speed") == [2.5] && decoded.values("power") == [210] && decoded.values("distance-covered") == [0])
        let energy = try #require(decoded.rows.first { $0.metric == "workout-energy" })
        #expect(energy.value == 12 && energy.interval == 60 && energy.zone == 60 && decoded.values("workout-duration") == [1])
        #expect(decoded.rows.contains { $0.metric == "workout" && $0.text == "Running" } && !decoded.rows.contains { $0.value == 52 })
    }

    @Test("GPX: heart rates in extensions of any prefix; a point without a time is refused")
    func gpx() throws {
        let point =
            "<ele>34.2</ele><time>2026-03-05T07:12:00Z</time><extensions><a:TrackPointExtension><a:atemp>21</a:atemp><a:hr>138</a:hr>"
        let decoded = try #require(
            try Decoded.all(
                """
                <gpx xmlns:a="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><metadata><time>2026-01-01T00:00:00Z</time></metadata><trk><trkseg>
                <trkpt lat="52" lon="13">\(point)</a:TrackPointExtension></extensions></trkpt>
                <trkpt lat="52" lon="13"><ele>35</ele></trkpt></trkseg></trk></gpx>
                """, name: "a.gpx", options: .ofParticipant()
            ).first)
        #expect(decoded.values("heart-rate") == [138] && decoded.values("ambient-temperature") == [21])
        #expect(decoded.values("altitude") == [34.2] && decoded.rejects.count == 1 && decoded.rows[0].time == 1_772_694_720)
    }

    @Test("FIT: points, a session over its time, the heart rates of a day; one that is cut is refused")
    func fit() throws {
        var body: [UInt8] = []
        let define = { (local: UInt8, message: UInt8, fields: [[UInt8]]) -> [UInt8] in
            [0x40 | local, 0, 0, message, 0, UInt8(fields.count)] + fields.joined()
        }
        // 2026-03-05 07:12:00 UTC, counted from 1989-12-31.
        let start: UInt32 = 1_772_694_720 - 631_065_600
        let bytes = { (number: UInt32, count: Int) in (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) } }
        body += define(0, 20, [[253, 4, 0x86], [3, 1, 2], [2, 2, 0x84], [6, 2, 0x84]])
        body += [0] + bytes(start, 4) + [138] + bytes(2671, 2) + bytes(0xFFFF, 2)
        // A compressed time, one second later.
        body += define(1, 20, [[3, 1, 2]]) + [0x80 | 1 << 5 | UInt8((start + 1) & 0x1F), 139]
        body += define(2, 18, [[253, 4, 0x86], [2, 4, 0x86], [7, 4, 0x86], [5, 1, 0], [11, 2, 0x84]])
        body += [2] + bytes(start + 60, 4) + bytes(start, 4) + bytes(60_000, 4) + [1] + bytes(12, 2)
        body += define(3, 55, [[26, 2, 0x84], [27, 1, 2]]) + [3] + bytes((start + 120) & 0xFFFF, 2) + [61]
        // A time since the device was switched on is no moment.
        body += [0] + bytes(3600, 4) + [99] + bytes(0xFFFF, 2) + bytes(0xFFFF, 2)
        let header = [14, 0x20, 0, 0] + bytes(UInt32(body.count), 4) + Array(".FIT".utf8) + [0, 0]
        let checksum = bytes(UInt32(crc(header + body)), 2)
        let file = { (content: [UInt8]) in ImportFile(name: "a.fit") { () throws(ImportError) in MemorySource(content, largestRead: 7) } }
        let part = try #require(try FileExpander(options: .ofParticipant()).expand(file(header + body + checksum)).first)
        let decoded = try Decoded(part, options: .ofParticipant())
        #expect(decoded.survey.profile.name == "training-xml" && decoded.rejects.count == 1, "\(decoded.rejects)")
        #expect(decoded.values("heart-rate") == [138, 139, 61] && abs(decoded.values("altitude")[0] - 34.2) < 1e-9)
        #expect(decoded.rows.filter { $0.metric == "heart-rate" }.map(\.time) == [1_772_694_720, 1_772_694_721, 1_772_694_840])
        #expect(decoded.values("workout-energy") == [12] && decoded.rows.contains { $0.text == "running" && $0.interval == 60 })
        var damaged = header + body + checksum
        damaged[header.count + 30] ^= 1
        for wrong in [Array((header + body).dropLast(2)), header + body, damaged] {
            let part = try #require(try FileExpander(options: .ofParticipant()).expand(file(wrong)).first)
            #expect(throws: ImportError.self) { try Decoded(part, options: .ofParticipant()) }
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var bytes = header + body + checksum
            for _ in 0..<Int.random(in: 1...8) { bytes[Int.random(in: 0..<bytes.count)] = .random(in: 0...255, using: &random) }
            #expect(content(bytes, .max) == content(bytes, 3), "\(bytes)")
        }
    }

    /// What a recording gives until it ends or cannot go on, whatever its checksum.
    private func content(_ bytes: [UInt8], _ largestRead: Int) -> [UInt8] {
        var (source, content) = (FITSource(source: MemorySource(bytes, largestRead: largestRead)), [UInt8]())
        var buffer = [UInt8](repeating: 0, count: 4096)
        while let count = try? source.read(into: &buffer, at: 0, limit: buffer.count), count > 0 { content += buffer[..<count] }
        return content
    }

    /// CRC-16/ARC, bit by bit.
    private func crc(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0) { crc, byte in (0..<8).reduce(crc ^ UInt16(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xA001 : crc >> 1 } }
    }

    @Test("RR intervals alone: from the time in the file's name, from --session-start, or a question")
    func beats() throws {
        let text = "812\n806\n799\n820\n"
        let named = try #require(try Decoded.all(text, name: "x/2026-03-05 07-12-10.txt", options: .ofParticipant("+01:00")).first)
        #expect(named.values("rr-interval") == [812, 806, 799, 820])
        #expect(named.rows.map(\.time) == [1_772_691_130.812, 1_772_691_131.618, 1_772_691_132.417, 1_772_691_133.237])
        var options = ImportOptions.ofParticipant()
        options.sessionStart = 1_772_691_130
        let seconds = try #require(try Decoded.all("0.812\n0.806\n0.799\n", name: "rr.txt", options: options).first)
        #expect(seconds.values("rr-interval") == [812, 806, 799] && seconds.rows[0].time == 1_772_691_130.812)
        let error = #expect(throws: ImportError.self) { try Decoded.all(text, name: "rr.txt", options: .ofParticipant()) }
        #expect(error?.code == .ambiguous && error?.message.contains("--session-start") == true)
    }

    @Test("Garmin Connect's tables: units and durations in the cells, weights below their date")
    func garminTables() throws {
        let heart = try Decoded(",Resting,High\n2026-03-05,52 bpm,140 bpm\n2026-03-06,--,133 bpm\n", options: .ofParticipant())
        #expect(heart.values("resting-heart-rate") == [52] && heart.values("heart-rate-maximum") == [140, 133])
        #expect(heart.rows[0].interval == 86_400)
        let sleep = try Decoded(
            "Sleep Score 4 Weeks,Score,Resting Heart Rate,Body Battery,Pulse Ox,Respiration,Skin Temp Change,HRV Status,Quality,Duration,"
                + "Sleep Need,Bedtime,Wake Time\n2026-03-05,82,52,60,96.00,14.20,--,45,Good,7h 30min,7h 50min,10:40 PM,6:25 AM\n",
            options: .ofParticipant())
        #expect(sleep.values("sleep-minutes") == [450] && sleep.values("sleep-score") == [82] && sleep.values("oxygen-saturation") == [96])
        let weight = try #require(
            try Decoded.all(
                "Time,Weight,Change,BMI,Body Fat,Skeletal Muscle Mass,Bone Mass,Body Water,\n\" Mar 5, 2026\",\n"
                    + "7:12 AM,71.5 kg,0.2 kg,22.5,18.2 %,33.1 kg,3.1 kg,58.2 %,\n\" Mar 4, 2026\",\n8:00 PM,158 lbs,--,22.4,--,--,--,--,\n",
                name: "Weight.csv", options: .ofParticipant()
            ).first)
        #expect(weight.survey.profile.name == "garmin-weight" && weight.rejects.isEmpty, "\(weight.rejects)")
        #expect(weight.values("body-weight").map { ($0 * 10).rounded() } == [715, 717] && weight.values("bone-mass") == [3.1])
        #expect(weight.rows[0].time == 1_772_694_720 && weight.values("body-fat") == [18.2])
    }

    @Test("Garmin's account archive: days, nights in UTC whatever the zone, weights in grams")
    func garminArchive() throws {
        let nights = try #require(
            try Decoded.all(
                #"[{"sleepStartTimestampGMT":"2026-03-04T22:10:00.0","sleepEndTimestampGMT":"2026-03-05T05:40:00.0","calendarDate":"2026-03-05","deepSleepSeconds":5400,"averageRespiration":14.0,"sleepScores":{"overallScore":81}},{"calendarDate":"2026-03-06"}]"#,
                name: "x_sleepData.json", options: .ofParticipant("Europe/Berlin")
            ).first)
        #expect(nights.values("sleep-deep") == [5400] && nights.values("sleep-score") == [81] && nights.rejects.isEmpty)
        #expect(nights.rows[0].time == 1_772_662_200 && nights.rows[0].interval == 27_000 && nights.rows[0].zone == 60)
        let days = try #require(
            try Decoded.all(
                #"[{"calendarDate":"2026-03-05","totalKilocalories":2100.0,"totalSteps":8000,"totalDistanceMeters":6100,"minHeartRate":48,"restingHeartRate":52}]"#,
                name: "UDSFile_2026.json", options: .ofParticipant()
            ).first)
        #expect(days.values("steps") == [8000] && days.values("energy") == [2100] && days.rows.allSatisfy { $0.interval == 86_400 })
        let scale = try #require(
            try Decoded.all(
                #"[{"metaData":{"calendarDate":"2026-03-05T07:12:00.0"},"weight":{"weight":71500.0,"bodyFat":0.0,"timestampGMT":"2026-03-05T06:12:00.0"}},{"metaData":{"calendarDate":"2026-03-06T07:12:00.0"},"vo2Max":44}]"#,
                name: "userBioMetrics.json", options: .ofParticipant("Europe/Berlin")
            ).first)
        #expect(scale.values("body-weight") == [71.5] && scale.rows[0].time == 1_772_691_120 && scale.rejects.count == 1)
    }

    @Test("Suunto in hertz, Huawei's samples, Samsung's bins in UTC")
    func makers() throws {
        let suunto = try #require(
            try Decoded.all(
                #"{"DeviceLog":{"Header":{"Duration":3.0},"Samples":[{"HR":1.2,"TimeISO8601":"2026-03-05T07:12:00.000+01:00"},{"Speed":2,"TimeISO8601":"2026-03-05T07:12:01.000+01:00"}]}}"#,
                name: "a.json", options: .ofParticipant()
            ).first { $0.survey.profile.name == "suunto" })
        #expect(suunto.values("heart-rate") == [72] && suunto.rejects.isEmpty)
        let huawei = try #require(
            try Decoded.all(
                #"[{"type":7,"timeZone":"+0100","startTime":1772694720000,"endTime":1772694780000,"samplePoints":[{"key":"DATA_POINT_DYNAMIC_HEARTRATE","value":"72.0","startTime":1772694720000,"endTime":1772694720000},{"key":"DATA_POINT_DYNAMIC_HEARTRATE","value":"73.0","startTime":1772694780000,"endTime":1772694780000}]}]"#,
                name: "health detail data.json", options: .ofParticipant()
            ).first)
        #expect(huawei.survey.profile.name == "huawei-health" && huawei.values("heart-rate") == [72, 73])
        #expect(huawei.rows.map(\.time) == [1_772_694_720, 1_772_694_780])
        let bins = try #require(
            try Decoded.all(
                #"[{"heart_rate":70,"heart_rate_max":75,"heart_rate_min":66,"start_time":1772694000000,"end_time":1772694059000}]"#,
                name: "jsons/com.samsung.shealth.tracker.heart_rate/a/aaaa.binning_data.json", options: .ofParticipant("Europe/Berlin")
            ).first)
        #expect(bins.values("heart-rate") == [70] && bins.rows[0].source == "samsung-health" && bins.rows[0].time == 1_772_694_000)
        #expect(bins.rows[0].interval == 59)
    }

    @Test("Samsung's times are UTC whatever zone is asked for")
    func samsung() throws {
        let decoded = try Decoded(
            "com.samsung.shealth.tracker.heart_rate,6310002,5\ncom.samsung.health.heart_rate.start_time,com.samsung.health.heart_rate.time_offset,"
                + "com.samsung.health.heart_rate.deviceuuid,com.samsung.health.heart_rate.heart_rate,com.samsung.health.heart_rate.pkg_name\n"
                + "2026-03-05 07:00:00.000,UTC+0100,dev1,72.0,com.sec.android.app.shealth,\n", options: .ofParticipant("Europe/Berlin"))
        #expect(decoded.rows.map(\.time) == [1_772_694_000] && decoded.rows[0].zone == 60)
    }

    @Test("Sleep as Android: a header a night; Zepp and OSCAR: the interval")
    func nights() throws {
        let night = { (id: String, day: String) in
            "Id,Tz,From,To,Sched,Hours,Rating,Comment,Framerate,Snore,Noise,Cycles,DeepSleep,LenAdjust,Geo,\"23:10\",\"23:15\"\n"
                + "\"\(id)\",\"Europe/Berlin\",\"\(day). 03. 2026 23:00\",\"06. 03. 2026 6:40\",\"06. 03. 2026 7:00\",\"7.5\",\"4.0\",\"#home\","
                + "\"10014\",\"120\",\"0.02\",\"5\",\"0.45\",\"0\",\"\",\"0.1\",\"0.3\"\n"
        }
        let android = try #require(
            try Decoded.all(
                night("1772748000000", "05") + night("1772661600000", "04"), name: "sleep-export.csv", options: .ofParticipant()
            )
            .first)
        #expect(android.survey.profile.name == "sleep-as-android" && android.rejects.isEmpty, "\(android.rejects)")
        #expect(
            android.values("sleep-minutes") == [450, 450] && android.rows[0].time == 1_772_748_000 && android.rows[0].interval == 27_600)
        let zepp = try Decoded(
            "date,deepSleepTime,shallowSleepTime,wakeTime,start,stop,REMTime,naps\n2026-03-05,102,268,5,2026-03-04 22:40:00+0000,2026-03-05 05:55:00+0000,60,\n",
            options: .ofParticipant())
        #expect(zepp.values("sleep-deep") == [102] && zepp.rows[0].interval == 26_100)
        let oscar = try Decoded(
            "Date,Session Count,Start,End,Total Time,AHI,Median Pressure\n2026-03-04,1,2026-03-04T22:50:00,2026-03-05T06:40:00,07:50:00,1.2,8.4\n",
            options: .ofParticipant())
        #expect(oscar.values("apnea-hypopnea-index") == [1.2] && oscar.rows[0].interval == 28_200 && oscar.values("therapy-time") == [470])
    }

    @Test("Cronometer's days are food; OpenSignals' counts are refused with the next step")
    func others() throws {
        let food = try Decoded("Date,Energy (kcal),Carbs (g),Protein (g),Fat (g)\n2026-03-05,2100,250,90,70\n", options: .ofParticipant())
        #expect(food.values("food-energy") == [2100] && food.values("energy").isEmpty && food.values("food-fat") == [70])
        #expect(ForeignFormat.refusal(Array("# OpenSignals Text File Format. Version 1\n".utf8))?.contains("CSV") == true)
    }
}
