#pragma once
#include <expat.h>
#include <string.h>

static inline long vigil_length(const char *text) { return (long)strlen(text); }
