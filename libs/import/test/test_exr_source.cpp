#include "import_test.h"

namespace karst::importer {
namespace {

using namespace test;

struct Exr {
    int width = 1, height = 1;
    int packing = 0;  ///< 0 none, 1 RLE, 2 ZIP a line, 3 ZIP 16 lines
    bool half = false;
    std::vector<std::string> channels{"Y"};
    std::vector<float> values;  ///< of the last channel; all others hold 9
};

std::string pack(const std::string& raw, int packing) {
    if (packing == 0) return raw;
    std::string parted;
    for (std::size_t i = 0; i < raw.size(); i += 2)
        parted += raw[i];
    for (std::size_t i = 1; i < raw.size(); i += 2)
        parted += raw[i];
    std::string difference = parted;
    for (std::size_t i = parted.size() - 1; i > 0; --i)
        difference[i] = static_cast<char>(parted[i] - parted[i - 1] + 128);
    std::string out;
    if (packing == 1) {
        for (std::size_t at = 0; at < difference.size();) {
            std::size_t run = 1;
            while (at + run < difference.size() && run < 128 && difference[at + run] == difference[at])
                ++run;
            if (run > 1) {
                out += static_cast<char>(run - 1);
                out += difference[at];
            } else {
                out += static_cast<char>(-1);
                out += difference[at];
            }
            at += run;
        }
    } else {
        std::size_t size = 0;
        void* bytes = CPLZLibDeflate(difference.data(), difference.size(), 6, nullptr, 0, &size);
        out.assign(static_cast<const char*>(bytes), size);
        VSIFree(bytes);
    }
    return out.size() < raw.size() ? out : raw;
}

std::string exr(const Exr& picture) {
    std::string out = packed<std::uint32_t>({20000630, 2});
    const auto attribute = [&](const std::string& name, const std::string& type, const std::string& value) {
        out += name + '\0' + type + '\0' + packed<std::uint32_t>({static_cast<std::uint32_t>(value.size())}) +
               value;
    };
    std::string list;
    for (const std::string& channel : picture.channels)
        list += channel + '\0' + packed<std::uint32_t>({picture.half ? 1u : 2u, 0, 1, 1});
    attribute("channels", "chlist", list + '\0');
    attribute("compression", "compression", std::string(1, static_cast<char>(picture.packing)));
    attribute("dataWindow", "box2i", packed<std::int32_t>({5, -3, 4 + picture.width, -4 + picture.height}));
    attribute("lineOrder", "lineOrder", std::string(1, '\0'));
    out += '\0';
    const int lines = picture.packing == 3 ? 16 : 1;
    const int chunks = (picture.height + lines - 1) / lines;
    std::string table, body;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        std::string raw;
        for (int y = chunk * lines; y < std::min((chunk + 1) * lines, picture.height); ++y) {
            for (std::size_t c = 0; c < picture.channels.size(); ++c) {
                for (int x = 0; x < picture.width; ++x) {
                    const bool last = c + 1 == picture.channels.size();
                    const float value =
                        last ? picture.values[static_cast<std::size_t>(y * picture.width + x)] : 9;
                    if (picture.half) {  // whole numbers below 2048 only
                        std::uint16_t bits = 0;
                        if (value != 0) {
                            int exponent = 0;
                            const float fraction = std::frexp(value, &exponent);
                            bits = static_cast<std::uint16_t>((exponent + 14) << 10 |
                                                              (static_cast<int>(fraction * 2048) & 1023));
                        }
                        raw += packed<std::uint16_t>({bits});
                    } else {
                        raw += packed<float>({value});
                    }
                }
            }
        }
        const std::string data = pack(raw, picture.packing);
        table += packed<std::uint64_t>({out.size() + static_cast<std::size_t>(chunks) * 8 + body.size()});
        body += packed<std::int32_t>({-3 + chunk * lines, static_cast<std::int32_t>(data.size())}) + data;
    }
    return out + table + body;
}

TEST(ExrSource, EveryPackingTypeAndChannel) {
    const TempFolder folder;
    Random random(21);
    for (int packing = 0; packing <= 3; ++packing) {
        for (const bool half : {false, true}) {
            Exr picture;
            picture.width = random.integer(1, 40);
            picture.height = random.integer(1, 50);
            picture.packing = packing;
            picture.half = half;
            for (int i = 0; i < picture.width * picture.height; ++i)
                picture.values.push_back(static_cast<float>(i / 7 % 900));
            const std::string path = inFolder(folder, "h.exr");
            expectSame(samplesOf(writeFile(path, exr(picture))), picture.values);
            picture.channels = {"A", "B", "G", "R"};
            expectSame(samplesOf(writeFile(path, exr(picture))), picture.values);
            ImportOptions options;
            options.array = "B";
            expectSame(samplesOf(path, options), std::vector<float>(picture.values.size(), 9));
            options.array = "Q";
            EXPECT_THAT(failureOf(path, options), HasSubstr("A, B, G, R"));
        }
    }
}

TEST(ExrSource, RangeAndDirection) {
    const TempFolder folder;
    Exr picture;
    picture.width = 2;
    picture.height = 2;
    picture.values = {0, 0.5f, 1, kNan};
    const std::string path = writeFile(inFolder(folder, "h.exr"), exr(picture));
    ImportOptions options;
    options.valueRange = heightfield::HeightRange{100, 300};
    options.southUp = true;
    expectSame(samplesOf(path, options), {300, kNan, 100, 200});
}

TEST(ExrSource, DamageIsAnError) {
    const TempFolder folder;
    Exr picture;
    picture.width = 30;
    picture.height = 40;
    picture.packing = 3;
    Random random(8);
    for (int i = 0; i < 30 * 40; ++i)
        picture.values.push_back(static_cast<float>(random.integer(0, 200)));
    const std::string whole = exr(picture);
    for (int i = 0; i < 60; ++i) {
        const auto length = static_cast<std::size_t>(random.integer(4, static_cast<int>(whole.size()) - 1));
        EXPECT_FALSE(importRaster(writeFile(inFolder(folder, "cut.exr"), whole.substr(0, length))).ok())
            << length;
    }
    // Tiles are another matter.
    std::string tiled = whole;
    tiled[5] = 2;
    EXPECT_THAT(failureOf(writeFile(inFolder(folder, "tiled.exr"), tiled)), HasSubstr("scan lines"));
}

}  // namespace
}  // namespace karst::importer
