#pragma once
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

/// archive_read_next_header, with names read as UTF-8 whatever the process's locale is.
static inline int vigil_archive_next(struct archive *archive, struct archive_entry **entry) {
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    int result = archive_read_next_header(archive, entry);
    if (result >= ARCHIVE_WARN && *entry) (void)archive_entry_pathname(*entry);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return result;
}

static inline int vigil_archive_is_file(struct archive_entry *entry) { return archive_entry_filetype(entry) == AE_IFREG; }
