// What JSONDecode and MappedDecode are measured beside: simdjson's on-demand parser reads the same fields of the same payload, again and again.
//
// Usage: simdjson_fields reading|mapped FILE MESSAGES. Prints the processor time in nanoseconds and the number of readings, as `name=value` lines.
// Needs Debian's libsimdjson-dev; compiled by NativePeer when the benchmark runs.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string_view>
#include <vector>

#include <simdjson.h>

using namespace simdjson;

namespace {

// The fields of a native reading. Texts point into the payload.
struct Reading {
    std::string_view metric, unit;
    std::int64_t time = 0; // microseconds since 1970
    std::optional<double> value;
    std::optional<std::int64_t> zone;
    double period = 0;
    std::vector<double> samples;
};

// The fields that the shipped mapping of a scale uses, and those by which the other mappings tell that they are not meant.
struct Weighing {
    std::string_view id, type, mode, model, unit;
    std::optional<double> weight, impedance;
};

std::size_t read_reading(ondemand::parser &parser, const padded_string &payload, Reading &reading) {
    ondemand::document document = parser.iterate(payload);
    reading.samples.clear();
    for (auto field : document.get_object()) {
        std::string_view key = field.unescaped_key();
        if (key == "metric") reading.metric = field.value().get_string();
        else if (key == "time") reading.time = static_cast<std::int64_t>(double(field.value().get_double()) * 1e6 + 0.5);
        else if (key == "value") reading.value = double(field.value().get_double());
        else if (key == "unit") reading.unit = field.value().get_string();
        else if (key == "zone") reading.zone = std::int64_t(field.value().get_int64());
        else if (key == "period") reading.period = field.value().get_double();
        else if (key == "samples")
            for (auto sample : field.value().get_array()) reading.samples.push_back(sample.get_double());
    }
    return reading.metric.empty() || !(reading.value || reading.samples.size()) ? 0 : 1;
}

std::size_t read_mapped(ondemand::parser &parser, const padded_string &payload, Weighing &weighing) {
    ondemand::document document = parser.iterate(payload);
    for (auto field : document.get_object()) {
        std::string_view key = field.unescaped_key();
        if (key == "id") weighing.id = field.value().get_string();
        else if (key == "type") weighing.type = field.value().get_string();
        else if (key == "weighing_mode") weighing.mode = field.value().get_string();
        else if (key == "model_id") weighing.model = field.value().get_string();
        else if (key == "unit") weighing.unit = field.value().get_string();
        else if (key == "weight") weighing.weight = double(field.value().get_double());
        else if (key == "impedance") weighing.impedance = double(field.value().get_double());
    }
    return (weighing.weight ? 1 : 0) + (weighing.impedance ? 1 : 0);
}

std::int64_t processor_time() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

template <typename Result, typename Read> void measure(const padded_string &payload, long messages, Read read) {
    ondemand::parser parser;
    std::size_t readings = 0;
    auto start = processor_time();
    for (long i = 0; i < messages; i++) {
        Result result;
        readings += read(parser, payload, result);
    }
    std::printf("nanoseconds=%lld\nreadings=%zu\n", static_cast<long long>(processor_time() - start), readings);
}

} // namespace

int main(int count, char **words) {
    if (count != 4) {
        std::fputs("usage: simdjson_fields reading|mapped FILE MESSAGES\n", stderr);
        return 64;
    }
    try {
        padded_string payload = padded_string::load(words[2]);
        long messages = std::atol(words[3]);
        if (std::string_view(words[1]) == "mapped") measure<Weighing>(payload, messages, read_mapped);
        else measure<Reading>(payload, messages, read_reading);
    } catch (const simdjson_error &error) {
        std::fprintf(stderr, "simdjson: %s\n", error.what());
        return 1;
    }
}
