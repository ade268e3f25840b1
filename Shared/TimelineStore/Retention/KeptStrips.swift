/// The blocks of samples around medical alarms, which no rule about waveforms removes: they show later what an alarm was about.
///
/// They follow from the stored alarms, so that nothing has to be marked when an alarm comes, and an alarm that comes late keeps what is still there.
enum KeptStrips {
    /// Seconds before and after the moment at which an alarm was raised.
    private static let before = 10
    private static let after = 20

    /// A condition on the table of blocks: an alarm was raised of the person while the block lasted, or so soon before or after.
    static func isKept(_ table: String, _ dialect: any SQLConnection.Type) -> String {
        """
        EXISTS (SELECT 1 FROM alert_event a WHERE a.participant = \(table).participant
            AND a.time > \(dialect.moment("\(table).time", plus: -after)) AND a.time < \(dialect.moment("\(table).ends", plus: before))
            AND \(isMedical))
        """
    }

    /// The blocks of a month's table, found from the alarms: of a month with many blocks not one is looked at but these.
    /// - Parameter table: a partition of PostgreSQL, named `w` in the query.
    static func blocks(of table: String) -> String {
        """
        SELECT DISTINCT ON (w.participant, w.metric, w.time, w.source, w.seq) w.*
        FROM alert_event a CROSS JOIN metric m JOIN \(table) w ON w.participant = a.participant AND w.metric = m.id
            AND w.time < a.time + interval '\(after) seconds'
            AND w.time > a.time - interval '\(before) seconds' - m.longest * interval '1 microsecond'
            AND w.ends > a.time - interval '\(before) seconds'
        WHERE \(isMedical)
        """
    }

    /// The event is kept as JSON with sorted keys and no spaces; a quotation mark within a text is escaped.
    private static let isMedical = "a.transition = 'raised' AND a.detail LIKE '%\"kind\":\"medical\"%'"
}
