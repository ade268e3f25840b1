#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
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
                              options->notify, options->context, MHD_OPTION_ARRAY, options->key ? tls : plain, MHD_OPTION_END);
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
