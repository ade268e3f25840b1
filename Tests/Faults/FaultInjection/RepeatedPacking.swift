import SuiteHarness
import TestSupport

/// Has the month of the readings packed again and again while they come: to `vigil-timeline` it never seems to be done.
struct RepeatedPacking {
    /// How often `vigil-timeline` looks for what is to be packed.
    static let interval = "1s"

    private let store: StoreUnderTest?

    /// - Parameter plan: says whether packing never ends, or days are sealed.
    init(_ plan: FaultPlan, _ store: StoreUnderTest) { self.store = plan.repeatsPacking ? store : nil }

    /// Forgets what a service remembers of a pass that has ended, after a pause. SQLite packs nothing.
    func begin() async throws {
        guard let store, case .postgres = store else { return }
        try await eventually("the schema") { (try? await store.lines("SELECT name FROM setting")) != nil }
        _ = try await store.lines(
            """
            CREATE SEQUENCE passes;
            CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.value ~ '^\\S+ \\S+$' THEN PERFORM nextval('passes'), pg_sleep(0.2); NEW.value := 'forgotten'; END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER forgets BEFORE INSERT OR UPDATE ON setting FOR EACH ROW WHEN (NEW.name LIKE 'packed %') EXECUTE FUNCTION forget();
            """)
    }

    /// How many passes have ended; nil where none are made.
    func passes() async throws -> Int? {
        guard let store, case .postgres = store else { return nil }
        return try await store.lines("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM passes").first.flatMap { Int($0) } ?? 0
    }
}
