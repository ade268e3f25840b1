#pragma once
#include <crypt.h>
#include <openssl/evp.h>
