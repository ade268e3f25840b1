-- What analysts see: the views of the timeline, each row only where the participant is among those that the analyst's role was given.
-- The views belong to the administrator and read for their caller; a role of an analyst has no right to anything else. Run again after
-- an upgrade that changes the timeline's views (deploy/analysts refresh).
BEGIN;
SET LOCAL client_min_messages = warning;
DROP SCHEMA IF EXISTS analyst CASCADE;
CREATE TABLE IF NOT EXISTS analyst_access (
    role text NOT NULL, participant text NOT NULL, PRIMARY KEY (role, participant));
COMMENT ON TABLE analyst_access IS 'Whose rows each analyst''s role may read.';
REVOKE ALL ON analyst_access FROM vigil_owner, vigil_writer, vigil_reader;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'vigil_analyst') THEN CREATE ROLE vigil_analyst NOLOGIN; END IF;
END $$;
GRANT CONNECT ON DATABASE vigil TO vigil_analyst;

CREATE SCHEMA analyst;
DO $$
DECLARE seen text;
BEGIN
    FOREACH seen IN ARRAY ARRAY['readings', 'waveforms', 'daily', 'sealed_days', 'participants', 'alerts'] LOOP
        -- A barrier: no function of a caller's own gets to see a row before the condition has let it through.
        EXECUTE format(
            'CREATE VIEW analyst.%1$I WITH (security_barrier) AS SELECT * FROM public.%1$I
             WHERE participant IN (SELECT a.participant FROM public.analyst_access a WHERE a.role = current_user)', seen);
    END LOOP;
END $$;
GRANT USAGE ON SCHEMA analyst TO vigil_analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA analyst TO vigil_analyst;
COMMIT;
