#!/bin/bash
# Makes the database and its roles when the database is made: an owner that migrates and writes (it adds a partition a month), a writer
# and a reader for other programs. Connections from the network are taken over TLS only.
set -euo pipefail

# A folder or the beginning of file names. psql reads the files itself: what stands on a command line every process may read.
export VIGIL_DATABASE_PASSWORDS="${VIGIL_DATABASE_PASSWORDS:-/run/secrets/database-}"
for role in owner writer reader; do [ -s "$VIGIL_DATABASE_PASSWORDS$role" ]; done

psql -v ON_ERROR_STOP=1 -U postgres -d postgres <<'SQL'
\set owner `cat "${VIGIL_DATABASE_PASSWORDS}owner"`
\set writer `cat "${VIGIL_DATABASE_PASSWORDS}writer"`
\set reader `cat "${VIGIL_DATABASE_PASSWORDS}reader"`
CREATE ROLE vigil_owner LOGIN PASSWORD :'owner';
CREATE ROLE vigil_writer LOGIN PASSWORD :'writer';
CREATE ROLE vigil_reader LOGIN PASSWORD :'reader';
CREATE DATABASE vigil OWNER vigil_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE vigil FROM PUBLIC;
GRANT CONNECT ON DATABASE vigil TO vigil_writer, vigil_reader;
ALTER ROLE vigil_reader SET default_transaction_read_only = on;
\connect vigil
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CREATE, USAGE ON SCHEMA public TO vigil_owner;
GRANT USAGE ON SCHEMA public TO vigil_writer, vigil_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE vigil_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO vigil_writer;
ALTER DEFAULT PRIVILEGES FOR ROLE vigil_owner GRANT USAGE, SELECT ON SEQUENCES TO vigil_writer;
ALTER DEFAULT PRIVILEGES FOR ROLE vigil_owner GRANT SELECT ON TABLES TO vigil_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE vigil_owner GRANT USAGE ON SCHEMAS TO vigil_writer, vigil_reader;
SQL

# Under Patroni that is in its own configuration.
[ -z "${PGDATA:-}" ] || sed -i 's/^host \+all \+all \+all /hostssl all all all /' "$PGDATA/pg_hba.conf"
