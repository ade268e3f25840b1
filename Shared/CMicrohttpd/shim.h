#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/// Swift cannot call C functions that take a variable number of arguments; these call them.

/// How a daemon is started.
struct vigil_mhd_options {
    const char *host;
    uint16_t port;
    unsigned int connections;
    unsigned int timeout;
    /// PEM of the certificate's key and of the chain; both NULL without TLS.
    const char *key;
    const char *certificate;
    MHD_AccessHandlerCallback access;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback notify;
    void *context;
};

#if MHD_VERSION < 0x00097701
/// Notes where a request's target ends, which is where a NUL in it would be: as the first value of the request's own pointer, which is odd then.
static inline void *vigil_mhd_target(void *context, const char *target, struct MHD_Connection *connection) {
    (void)context;
    (void)connection;
    return (void *)((uintptr_t)(target + strlen(target)) << 1 | 1);
}
#endif

/// Returns whether a request's own pointer is none that was set by the access handler.
static inline int vigil_mhd_is_unset(void *pointer) { return !pointer || ((uintptr_t)pointer & 1); }

/// Starts a daemon with one thread of its own on a numeric IPv4 or IPv6 address; NULL with errno set on failure,
/// EINVAL where the address is none, EPROTO where the key does not fit the certificate.
static inline struct MHD_Daemon *vigil_mhd_start(const struct vigil_mhd_options *options) {
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    const struct sockaddr *address;
    struct MHD_Daemon *daemon;
    unsigned int flags = MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options->certificate},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"},
        {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
#if MHD_VERSION >= 0x00097701
    const enum MHD_OPTION discipline = MHD_OPTION_CLIENT_DISCIPLINE_LVL;
#else
    const enum MHD_OPTION discipline = MHD_OPTION_STRICT_FOR_CLIENT;
#endif
    memset(&v4, 0, sizeof v4);
    memset(&v6, 0, sizeof v6);
    if (inet_pton(AF_INET, options->host, &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(options->port);
        address = (const struct sockaddr *)&v4;
    } else if (inet_pton(AF_INET6, options->host, &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(options->port);
        address = (const struct sockaddr *)&v6;
        flags |= MHD_USE_IPv6;
    } else {
        errno = EINVAL;
        return NULL;
    }
    if (options->key) flags |= MHD_USE_TLS;
    errno = 0;
    daemon = MHD_start_daemon(flags, options->port, NULL, NULL, options->access, options->context, MHD_OPTION_SOCK_ADDR, address,
                              MHD_OPTION_CONNECTION_LIMIT, options->connections, MHD_OPTION_CONNECTION_TIMEOUT, options->timeout,
                              MHD_OPTION_NOTIFY_COMPLETED, options->completed, options->context, MHD_OPTION_NOTIFY_CONNECTION,
                              options->notify, options->context, discipline, (int)1,
#if MHD_VERSION < 0x00097701
                              MHD_OPTION_URI_LOG_CALLBACK, vigil_mhd_target, NULL,
#endif
                              MHD_OPTION_ARRAY, options->key ? tls : plain, MHD_OPTION_END);
    if (!daemon && options->key && errno != EADDRINUSE && errno != EACCES && errno != EADDRNOTAVAIL) errno = EPROTO;
    return daemon;
}

/// The connection's socket; -1 where it cannot be told.
static inline int vigil_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// Writes the numeric address of the connection's other end; empty where it cannot be told.
static inline void vigil_mhd_peer(struct MHD_Connection *connection, char *text, socklen_t size) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info ? info->client_addr : NULL;
    text[0] = 0;
    if (!address) return;
    if (address->sa_family == AF_INET) inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, size);
    if (address->sa_family == AF_INET6) inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, text, size);
}

/// The port that the daemon listens on; 0 where it cannot be told.
static inline uint16_t vigil_mhd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/// The framing of a request's head, while its fields are enumerated in the order of their arrival.
struct vigil_mhd_head {
    /// The end of the field before, or of the request line.
    const char *end;
    unsigned int lengths;
    unsigned int hosts;
    unsigned int encodings;
    int is_contradictory;
};

/// Returns whether the bytes between two parts of the head are at most so many, and no others than these.
static inline int vigil_mhd_is_gap(const char *start, const char *end, ptrdiff_t longest, const char *allowed) {
    if (end < start || end - start > longest) return 0;
    for (; start < end; start++)
        if (*start && !strchr(allowed, *start)) return 0;
    return 1;
}

static inline enum MHD_Result vigil_mhd_inspect(void *context, enum MHD_ValueKind kind, const char *key, size_t key_size,
                                                const char *value, size_t value_size) {
    struct vigil_mhd_head *head = (struct vigil_mhd_head *)context;
    (void)kind;
    if (!value) value = "";
    if (!strcasecmp(key, "Host")) head->hosts++;
    if (!strcasecmp(key, "Content-Length")) head->lengths++;
    if (!strcasecmp(key, "Transfer-Encoding")) {
        head->encodings++;
        if (strcasecmp(value, "chunked")) head->is_contradictory = 1;
    }
    if (strlen(key) != key_size || strlen(value) != value_size) head->is_contradictory = 1;
#if MHD_VERSION < 0x00097701
    // This version ends a value at a NUL and joins folded lines before anyone sees them. It parses the head in place, so a NUL leaves bytes between a
    // value and the next field, and a folded field lies elsewhere.
    if (!vigil_mhd_is_gap(head->end, key, 2, "") || !vigil_mhd_is_gap(key + key_size, value, PTRDIFF_MAX, " \t")) head->is_contradictory = 1;
    head->end = value + value_size;
#endif
    return MHD_YES;
}

/// Returns whether a request's head says once, and without contradiction, for which host it is and where its body ends (RFC 9112, sections 3.2, 5.2
/// and 6.3). To be called before the body is read.
/// - version: as libmicrohttpd hands it to the access handler.
/// - pointer: the request's own pointer, before it is set.
static inline int vigil_mhd_is_framed_well(struct MHD_Connection *connection, const char *version, void *pointer) {
    struct vigil_mhd_head head = {version + strlen(version), 0, 0, 0, 0};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, vigil_mhd_inspect, &head);
    if (head.is_contradictory || head.hosts > 1 || head.lengths + head.encodings > 1) return 0;
#if MHD_VERSION < 0x00097701
    // The target is followed by the version, and the last field by the end of its line and the empty line.
    return pointer == (void *)((uintptr_t)(version - 1) << 1 | 1) && !head.end[0] && !head.end[1];
#else
    (void)pointer;
    return 1;
#endif
}
