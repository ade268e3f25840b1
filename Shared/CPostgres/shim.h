#pragma once
#include <libpq-fe.h>
#include <postgres_ext.h>

static void vigil_pq_ignore_notice(void *context, const char *message) {
    (void)context;
    (void)message;
}

/// libpq prints notices to standard error unless told otherwise; a library stays silent.
static inline void vigil_pq_silence(PGconn *connection) {
    PQsetNoticeProcessor(connection, vigil_pq_ignore_notice, NULL);
}

/// The fields of an error are C character constants, which Swift imports as no number.
static inline const char *vigil_pq_sqlstate(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }
static inline const char *vigil_pq_message(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY); }
static inline const char *vigil_pq_constraint(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME); }
