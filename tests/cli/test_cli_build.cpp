#include "cli_build_fixture.h"

#include <karst/heightfield/terrain_asset.h>

#include <sys/file.h>

#include <cstdio>
#include <cstring>

#ifdef KARST_HAVE_HTTPLIB
#include <httplib.h>
#endif

namespace karst {
namespace {

TEST_F(CliBuild, H6_BuildsLooksAtAndVerifiesAPackage) {
    const std::string dem = raw("dem.r16", 150), package = file("p.karst");
    works({"build", dem, package, "--spacing", "5", "--tile-cells", "16", "--holes", "20,20,60,50"},
          "150 x 150");
    EXPECT_FALSE(fs::exists(package + ".state"));
    EXPECT_FALSE(fs::exists(package + ".partial"));
    const Outcome info = run({"info", package});
    for (const char* part : {"one file, version 3", "150 x 150", "5 x 5 m", "16 x 16 cells", "steps of 1"})
        EXPECT_THAT(info.out, HasSubstr(part));
    const Outcome json = run({"info", package, "--json"});
    for (const char* part : {"\"form\": \"file\"", "\"version\": 3", "\"tile_cells\": 16", "\"width\": 150",
                             "\"height_step\": 1", "\"tiles_missing\": 0"})
        EXPECT_THAT(json.out, HasSubstr(part));
    works({"verify", package}, "sound");
    works({"verify", package, "--threads", "1"}, "sound");

    std::string bytes = contents(package);
    bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 16);
    std::ofstream(file("bad.karst"), std::ios::binary) << bytes;
    fails({"verify", file("bad.karst")}, 1, "checksum");
    fails({"verify", dem}, 1, "dem.r16");
    fails({"info", file("absent.karst")}, 1, "absent.karst");
}

TEST_F(CliBuild, HX1_TheBytesDoNotDependOnThreads) {
    const std::string dem = raw("dem.r16", 200);
    for (const char* threads : {"1", "2", "5"}) {
        works({"build", dem, file(std::string("p") + threads + ".karst"), "--threads", threads});
        EXPECT_EQ(contents(file("p1.karst")), contents(file(std::string("p") + threads + ".karst")));
    }
}

TEST_F(CliBuild, HX2_ConvertsBetweenVersionsAndForms) {
    const std::string dem = raw("dem.r16", 130), package = file("a.karst");
    works({"build", dem, package, "--tile-cells", "32"});
    works({"convert", package, file("b"), "--format", "folder"});
    works({"convert", file("b") + "/terrain.json", file("c.karst"), "--codec=none"});
    works({"convert", file("c.karst"), file("d") + "/", "--version", "2"});
    works({"convert", file("d"), file("e.karst")});
    EXPECT_EQ(contents(package), contents(file("e.karst")));
    works({"verify", file("d")}, "sound");
    // Built as version 2 at once.
    works({"build", dem, file("f"), "--tile-cells", "32", "--version", "2"});
    EXPECT_EQ(files("d"), files("f"));
    fails({"convert", package, package, "--force"}, 1, "name another");
    works({"build", dem, file("h.karst"), "--holes", "10,10,20,20", "--holes", "50,50,60,60"});
    fails({"convert", file("h.karst"), file("g"), "--version", "2"}, 0, "warning: version 2 has no holes");
}

TEST_F(CliBuild, OutputThatIsThereIsRefusedWithoutForce) {
    const std::string dem = raw("dem.r16", 70), package = file("p.karst");
    works({"build", dem, package});
    fails({"build", dem, package}, 1, "--force");
    fails({"convert", package, package}, 1, "--force");
    works({"build", dem, package, "--force", "--codec", "none"});
    fs::create_directories(file("home"));
    std::ofstream(file("home/letter.txt")) << "dear";
    fails({"build", dem, file("home"), "--force"}, 1, "no package");
    EXPECT_EQ(contents(file("home/letter.txt")), "dear");
    fails({"build", dem, file("home/letter.txt"), "--force"}, 1, "no package");
    fails({"build", dem, file("p.karst"), "--force", "--format", "folder"}, 1, "is a file");
    fails({"build", dem, file("nowhere/p.karst")}, 1, "there is no folder");
    fails({"build", file("absent.tif"), file("q.karst")}, 1, "absent.tif");
    EXPECT_FALSE(fs::exists(file("q.karst.partial")));
}

TEST_F(CliBuild, ARasterThatIsNoSurfaceIsRefused) {
    const std::string dem = raw("dem.r16", 8);
    fails({"build", dem, file("p.karst"), "--width", "64", "--height", "1"}, 1, "64 x 1 samples");
    fails({"build", dem, file("p.karst"), "--width", "1", "--height", "64"}, 1, "1 x 64 samples");
    works({"build", dem, file("p.karst"), "--width", "2", "--height", "32"}, "2 x 32 samples");
    works({"verify", file("p.karst")}, "sound");
}

// What a manifest speaks of costs nothing before it is there.
TEST_F(CliBuild, AManifestOfTilesWithoutEndIsRefusedAtOnce) {
    for (const char* shape : {"\"tile_cells\": 2, \"levels\": 1, \"roots\": [8388608, 8388608]",
                              "\"tile_cells\": 2, \"levels\": 20, \"roots\": [16, 16]"}) {
        fs::create_directories(file("big/tiles/0"));
        std::ofstream(file("big/terrain.json"))
            << "{\"version\": 3, \"codec\": \"none\", \"layout\": {" << shape
            << ", \"samples\": [16777217, 16777217], \"origin\": [0, 0], \"spacing\": [1, 1], "
               "\"height_range\": [0, 1]}, \"tiles\": \"tiles\"}";
        for (const char* name : {"0-0.ktile", "00-0.ktile", "8388608-0.ktile", "0-0.jtile", "x"})
            std::ofstream(file(std::string("big/tiles/0/") + name)) << "no tile";
        const Outcome info = run({"info", file("big"), "--json"});
        EXPECT_EQ(info.code, 0) << info.err;
        EXPECT_THAT(info.out, HasSubstr("\"tiles\": 1,"));
        fails({"verify", file("big")}, 1, "are missing; none was looked at");
        for (const char* form : {"file", "folder"})
            fails({"convert", file("big"), file("out"), "--format", form}, 1, "tiles are missing");
        EXPECT_FALSE(fs::exists(file("out.partial")));
    }
}

TEST_F(CliBuild, ALinkInThePlaceOfWhatIsWrittenIsNotFollowed) {
    const std::string dem = raw("dem.r16", 100);
    fs::create_directories(file("home"));
    std::ofstream(file("home/letter.txt")) << "dear";
    fs::create_symlink(file("home/letter.txt"), file("p.karst.partial"));
    fails({"build", dem, file("p.karst")}, 1, "is a symbolic link");
    fs::create_symlink(file("home"), file("q.partial"));
    works({"build", dem, file("q/")});
    EXPECT_EQ(contents(file("home/letter.txt")), "dear");
    EXPECT_FALSE(fs::is_symlink(file("q")));
}

TEST_F(CliBuild, AFailedBuildOrConversionTakesNothingFromOthers) {
    const std::string dem = raw("dem.r16", 100), package = file("p.karst");
    works({"build", dem, package});
    for (const bool oneFile : {true, false}) {
        // Another process writes that package.
        const std::string partial = file("q.partial");
        if (!oneFile) fs::create_directories(partial);
        const int held = ::open(partial.c_str(), oneFile ? O_CREAT | O_RDWR : O_RDONLY | O_DIRECTORY, 0666);
        ASSERT_GE(held, 0);
        ASSERT_EQ(::flock(held, LOCK_EX), 0);
        const std::string form = oneFile ? "file" : "folder";
        for (const char* verb : {"build", "convert"}) {
            fails({verb, verb[0] == 'b' ? dem : package, file("q"), "--format", form}, 1,
                  "another process is writing it");
            EXPECT_TRUE(fs::exists(partial)) << verb;
        }
        ::close(held);
        // What a killed process left is in nobody's way.
        works({"convert", package, file("q"), "--format", form});
        EXPECT_FALSE(fs::exists(partial));
        fs::remove_all(file("q"));
    }
}

TEST_F(CliBuild, UsageErrorsSayWhatIsWrong) {
    const std::string dem = raw("dem.r16", 8);
    fails({"build", dem}, 2, "missing: PACKAGE");
    fails({"build", dem, "p", "--format", "tar"}, 2, "neither file nor folder");
    fails({"build", dem, "p", "--version", "2", "--format", "file"}, 2, "cannot be one file");
    fails({"build", dem, "p", "--version", "2", "--codec", "zstd"}, 2, "not compressed");
    fails({"build", dem, "p", "--codec", "lzma"}, 2, "'lzma'");
    fails({"build", dem, "p", "--precision", "0"}, 2, "above 0");
    fails({"build", dem, "p", "--holes", "1,2,3"}, 2, "3 numbers");
    fails({"build", dem, "p", "--levels", "40"}, 2, "1 to 20");
    fails({"build", dem, file("p"), "--tile-cells", "48"}, 1, "48");
    for (const char* verb : {"build", "verify", "convert", "serve"}) {
        const Outcome help = run({verb, "--help"});
        EXPECT_EQ(help.code, 0);
        std::istringstream lines(help.out);
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(line.size(), 110u) << line;
    }
}

TEST_F(CliBuild, PrecisionDecidesTheStep) {
    const std::string dem = raw("dem.r16", 66);
    works({"build", dem, file("a.karst"), "--precision", "0.25"});
    EXPECT_THAT(run({"info", file("a.karst")}).out, HasSubstr("steps of 0.25"));
    // Normalised heights: the file's own step is 100 / 65535.
    works({"build", dem, file("b.karst"), "--range", "0,100"});
    EXPECT_THAT(run({"info", file("b.karst")}).out, HasSubstr("steps of 0.0015259"));
}

TEST_F(CliBuild, H5_AVersion1AssetKeepsItsPatchErrors) {
    heightfield::TerrainAsset asset;
    asset.manifest.patchCells = 8;
    asset.manifest.patchesX = 3;
    asset.manifest.patchesZ = 2;
    asset.manifest.originX = -40;
    asset.manifest.spacingX = asset.manifest.spacingZ = 2;
    for (std::uint32_t i = 0; i < 25 * 17; ++i)
        asset.heights.push_back(static_cast<float>((i * 37 % 11) * 0.5));
    for (int p = 0; p < 6; ++p) {
        heightfield::TerrainPatch patch;
        patch.bounds = {0, 5};
        patch.errors = {0, 10.0 + p, 20.0 + p, 30.0 + p};
        asset.manifest.patches.push_back(patch);
    }
    const auto written = writeTerrain(asset);
    ASSERT_TRUE(written.ok()) << written.error().message;
    fs::create_directories(file("asset"));
    std::ofstream(file("asset/terrain.json"), std::ios::binary) << written->manifest;
    std::ofstream(file("asset/heights.bin"), std::ios::binary)
        .write(reinterpret_cast<const char*>(written->heights.data()),
               static_cast<std::streamsize>(written->heights.size()));
    works({"build", file("asset/terrain.json"), file("p"), "--version", "2", "--levels", "2"}, "25 x 17");
    works({"verify", file("p")}, "sound");
    EXPECT_THAT(run({"info", file("p")}).out, HasSubstr("origin:       -40, 0"));
    // The error table follows the header of 40 bytes.
    const auto errors = [&](const std::string& tile) {
        const std::string bytes = contents(file("p/tiles/" + tile));
        std::vector<double> table(4);
        if (bytes.size() >= 72) std::memcpy(table.data(), bytes.data() + 40, 32);
        return table;
    };
    EXPECT_EQ(errors("0/2-1.jtile"), (std::vector<double>{0, 15, 25, 35}));
    EXPECT_EQ(errors("0/0-0.jtile"), (std::vector<double>{0, 10, 20, 30}));
    // A parent's shared entries are its children's largest: 14, 24, 34 of patches 0, 1, 3 and 4.
    const std::vector<double> parent = errors("1/0-0.jtile");
    EXPECT_EQ(parent[0], 14);
    EXPECT_EQ(parent[1], 24);
    EXPECT_EQ(parent[2], 34);
    fails({"build", file("asset/terrain.json"), file("q"), "--tile-cells", "16"}, 1, "patches have 8 cells");
}

TEST_F(CliBuild, HX1_InterruptedItSaysHowToGoOnAndDoes) {
    const std::string dem = raw("dem.r16", 1500), package = file("it's p.karst");
    works({"build", dem, file("whole.karst"), "--tile-cells", "16"});
    int stopped = 0;
    for (int delay = 5000; stopped == 0 && delay < 4000000; delay = delay * 5 / 4) {
        fs::remove(package);
        const pid_t child = start({"build", dem, package, "--tile-cells", "16", "--threads", "1"});
        ::usleep(static_cast<useconds_t>(delay));
        ::kill(child, stopped % 2 == 0 ? SIGINT : SIGTERM);
        const Outcome outcome = wait(child);
        if (outcome.code == 0) break;
        ASSERT_FALSE(fs::exists(package));
        if (outcome.code < 0) continue;  // before the tool listened to signals
        ASSERT_EQ(outcome.code, 1);
        if (!fs::exists(package + ".state")) {
            EXPECT_THAT(outcome.err, HasSubstr("before there was anything to keep"));
            continue;
        }
        ++stopped;
        EXPECT_THAT(outcome.err, HasSubstr("karst build --resume"));
        EXPECT_THAT(outcome.err, HasSubstr("it'\\''s p.karst"));
        fails({"build", dem, package, "--tile-cells", "16"}, 1, "--resume goes on with it");
        works({"build", "--resume", dem, package, "--tile-cells", "16"});
        EXPECT_FALSE(fs::exists(package + ".state"));
        EXPECT_EQ(contents(package), contents(file("whole.karst")));
    }
    if (stopped == 0) GTEST_SKIP() << "the build was never caught at work";
}

TEST_F(CliBuild, HX1_AnotherInputOrOtherOptionsBeginAnew) {
    const std::string dem = raw("dem.r16", 100), package = file("p.karst");
    std::ofstream(package + ".state") << "nonsense";
    works({"build", "--resume", dem, package});
    works({"verify", package}, "sound");
    const Outcome nothing = run({"build", "--resume", dem, file("q.karst")});
    EXPECT_EQ(nothing.code, 0);
    EXPECT_THAT(nothing.err, HasSubstr("nothing to go on from"));
    // Killed between the last step and the removal of the state.
    std::ofstream(package + ".state") << "left";
    works({"build", "--resume", dem, package}, "finished already");
    EXPECT_FALSE(fs::exists(package + ".state"));
}

#ifdef KARST_HAVE_HTTPLIB
TEST_F(CliBuild, HX2_ServesAPackageByRanges) {
    const std::string dem = raw("dem.r16", 150);
    works({"build", dem, file("p.karst"), "--tile-cells", "16"});
    works({"convert", file("p.karst"), file("folder"), "--format", "folder"});
    std::ofstream(file("folder/secret.txt")) << "mine";
    fs::create_symlink(file("dem.r16"), file("folder/tiles/0/99-99.ktile"));
    for (const bool oneFile : {true, false}) {
        const pid_t child = start({"serve", file(oneFile ? "p.karst" : "folder"), "--port", "0"});
        std::string url;
        for (int tries = 0; tries < 500 && url.find('\n') == std::string::npos; ++tries) {
            ::usleep(10000);
            url = contents(file("stdout"));
        }
        const std::size_t colon = url.find("127.0.0.1:");
        ASSERT_NE(colon, std::string::npos) << url << contents(file("stderr"));
        const int port = std::atoi(url.c_str() + colon + 10);
        httplib::Client client("127.0.0.1", port);
        client.set_keep_alive(true);
        const std::string entrance = oneFile ? "/p.karst" : "/terrain.json";
        const std::string whole = contents(oneFile ? file("p.karst") : file("folder/terrain.json"));
        const auto all = client.Get(entrance);
        ASSERT_TRUE(all);
        EXPECT_EQ(all->status, 200);
        EXPECT_EQ(all->body, whole);
        EXPECT_EQ(all->get_header_value("Content-Type"),
                  oneFile ? "application/octet-stream" : "application/json");
        EXPECT_EQ(all->get_header_value("Access-Control-Allow-Origin"), "*");
        EXPECT_EQ(all->get_header_value("Accept-Ranges"), "bytes");
        const auto range = [&](const char* bytes) { return client.Get(entrance, {{"Range", bytes}}); };
        const auto part = range("bytes=10-29");
        ASSERT_TRUE(part);
        EXPECT_EQ(part->status, 206);
        EXPECT_EQ(part->body, whole.substr(10, 20));
        EXPECT_EQ(part->get_header_value("Content-Range"), "bytes 10-29/" + std::to_string(whole.size()));
        EXPECT_EQ(range("bytes=100-")->body, whole.substr(100));
        EXPECT_EQ(range("bytes=-7")->body, whole.substr(whole.size() - 7));
        EXPECT_EQ(range("bytes=50-99999999999")->body, whole.substr(50));
        EXPECT_EQ(range("bytes=99999999999-")->status, 416);
        const auto head = client.Head(entrance);
        EXPECT_EQ(head->status, 200);
        EXPECT_EQ(head->get_header_value("Content-Length"), std::to_string(whole.size()));
        EXPECT_EQ(client.Options(entrance)->status, 204);
        for (const char* other : {"/", "/dem.r16", "/../dem.r16", "/tiles/../secret.txt", "/secret.txt",
                                  "/tiles/0/99-99.ktile", "/tiles/0/77-0.ktile", "/tiles", "//etc/passwd"})
            EXPECT_EQ(client.Get(other)->status, 404) << other;
        if (!oneFile) {
            EXPECT_EQ(client.Get("/tiles/0/3-2.ktile")->body, contents(file("folder/tiles/0/3-2.ktile")));
        }
        ::kill(child, SIGINT);
        EXPECT_EQ(wait(child).code, 0);
    }
    fails({"serve", file("absent.karst")}, 1, "absent.karst");
}
#endif

}  // namespace
}  // namespace karst
