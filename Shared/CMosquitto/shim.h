#pragma once
#include <errno.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/// Writes a two-byte packet (PINGREQ, DISCONNECT) past libmosquitto's queue, in which acknowledgements are held back.
/// Only right while no packet of that queue is partly written. Returns the number of bytes written, or less than 1.
static inline int vigil_send_past_queue(struct mosquitto *client, unsigned char packet_type) {
    const unsigned char bytes[2] = {packet_type, 0};
    SSL *ssl = mosquitto_ssl_get(client);
    if (ssl) return SSL_write(ssl, bytes, 2);
    return (int)send(mosquitto_socket(client), bytes, 2, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Writes the certificate that the broker showed, DER, where it fits. Returns its length; 0 without TLS.
static inline int vigil_broker_certificate(struct mosquitto *client, unsigned char *bytes, int room) {
    SSL *ssl = mosquitto_ssl_get(client);
    X509 *certificate = ssl ? SSL_get1_peer_certificate(ssl) : NULL;
    int length = certificate ? i2d_X509(certificate, NULL) : 0;
    length = length > 0 && length <= room ? i2d_X509(certificate, &bytes) : 0;
    X509_free(certificate);
    return length;
}

/// Refuses to ask for the pass phrase of a private key: a service has nobody to ask.
static inline int vigil_no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer; (void)size; (void)writing; (void)context;
    return 0;
}

/// Names the calling thread for debuggers and process lists; Linux keeps 15 bytes.
static inline void vigil_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
