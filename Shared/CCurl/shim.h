#pragma once
#include <curl/curl.h>

/// curl_easy_setopt and curl_easy_getinfo take any type, which Swift cannot call: one function a type here.
static inline CURLcode vigil_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode vigil_curl_set_large(CURL *handle, CURLoption option, int64_t value) {
    return curl_easy_setopt(handle, option, (curl_off_t)value);
}

static inline CURLcode vigil_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode vigil_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode vigil_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

typedef size_t (*vigil_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef int (*vigil_curl_progress)(void *context, curl_off_t total, curl_off_t now, curl_off_t sendTotal, curl_off_t sendNow);

static inline CURLcode vigil_curl_set_data(CURL *handle, CURLoption option, vigil_curl_data function) {
    return curl_easy_setopt(handle, option, function);
}

static inline CURLcode vigil_curl_set_progress(CURL *handle, vigil_curl_progress function) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
}

typedef int (*vigil_curl_dialogue)(CURL *handle, curl_infotype type, char *bytes, size_t size, void *context);

static inline CURLcode vigil_curl_set_dialogue(CURL *handle, vigil_curl_dialogue function) {
    return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, function);
}

/// One refused recipient does not end the mail to the others. The name of the option has lost its third L in libcurl 8.2.
static inline CURLcode vigil_curl_set_allow_refused_recipients(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x080200
    return curl_easy_setopt(handle, CURLOPT_MAIL_RCPT_ALLOWFAILS, 1L);
#else
    return curl_easy_setopt(handle, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
#endif
}

static inline long vigil_curl_get_long(CURL *handle, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/// The socket of the last transfer, where its connection is kept; -1 where none is.
static inline int vigil_curl_get_socket(CURL *handle) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? (int)socket : -1;
}
