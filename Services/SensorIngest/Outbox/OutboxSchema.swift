import ServiceKit

/// The outbox's tables.
enum OutboxSchema {
    /// `due` is when a batch is published again unless it was confirmed; times are in microseconds.
    static let migrations = [
        Migration(
            1,
            """
            CREATE TABLE batches (
                serial INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, topic TEXT NOT NULL, payload BLOB NOT NULL,
                published INTEGER NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0);
            CREATE INDEX batches_topic ON batches (topic);
            CREATE INDEX batches_due ON batches (due);
            CREATE TABLE asks (
                ask INTEGER PRIMARY KEY, topic TEXT NOT NULL, correlation BLOB, accepted INTEGER NOT NULL, refused INTEGER NOT NULL,
                reason TEXT, failure TEXT, pending INTEGER NOT NULL);
            CREATE INDEX asks_done ON asks (ask) WHERE pending <= 0;
            CREATE TABLE ask_batches (batch INTEGER NOT NULL, ask INTEGER NOT NULL, PRIMARY KEY (batch, ask)) WITHOUT ROWID;
            """)
    ]
}
