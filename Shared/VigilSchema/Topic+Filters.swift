extension Topic {
    /// Subscription filters, with the wildcards where the names would stand.
    public enum Filter {
        /// Everything that devices send.
        public static let ingest = "vigil/v1/ingest/#"
        /// All live observations.
        public static let observations = "vigil/v1/observations/#"
        /// All live numbers and texts.
        public static let readings = "vigil/v1/observations/+/readings"
        /// All live blocks of samples.
        public static let waveforms = "vigil/v1/observations/+/waveforms"
        /// All imported observations.
        public static let history = "vigil/v1/history/+"
        /// Every transition of every alert.
        public static let alertEvents = "vigil/v1/alert-events/+/+"
        /// Every alert's present state.
        public static let alerts = "vigil/v1/alerts/+/+"
        /// Every command to an alert.
        public static let alertCommands = "vigil/v1/alert-commands/+/+"
        /// Every command to a participant's stress analysis.
        public static let stressCommands = "vigil/v1/stress-commands/+"
        /// Everything that was refused.
        public static let rejects = "vigil/v1/rejects/+/+"
        /// Every instance's status.
        public static let moduleStatus = "vigil/v1/modules/+/+/status"
    }
}
