#pragma once
#include <errno.h>
#include <iconv.h>

/// A converter, or null where there is none between the two encodings: iconv_open says so by an address of -1.
static inline iconv_t vigil_iconv_open(const char *to, const char *from) {
    iconv_t converter = iconv_open(to, from);
    return converter == (iconv_t)-1 ? (iconv_t)0 : converter;
}

/// Converts what fits, and says how much of either side that was. Returns 0, or what stopped it: E2BIG, EILSEQ or EINVAL.
static inline int vigil_iconv(
    iconv_t converter, const unsigned char *input, size_t input_length, unsigned char *output, size_t output_length, size_t *used,
    size_t *made) {
    char *from = (char *)input, *to = (char *)output;
    size_t input_left = input_length, output_left = output_length;
    size_t result = iconv(converter, &from, &input_left, &to, &output_left);
    int reason = errno;
    *used = input_length - input_left;
    *made = output_length - output_left;
    return result == (size_t)-1 ? reason : 0;
}
