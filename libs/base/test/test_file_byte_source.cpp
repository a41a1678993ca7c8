#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/base/file_byte_source.h>
#include <karst_test/test_support.h>

#include <chrono>
#include <fstream>
#include <map>
#include <set>

namespace karst {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<std::byte> content(std::size_t size, unsigned seed) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(i * 31 + seed);
    return bytes;
}

void write(const fs::path& path, const std::vector<std::byte>& bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(file.good());
}

// Waits for the next finished read; gives up after a minute, so that a fault does not hang the test.
ByteSource::Finished wait(ByteSource& source) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < end) {
        if (auto finished = source.poll()) return std::move(*finished);
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    ADD_FAILURE() << "nothing came";
    return {0, makeError(ErrorCode::Io, "nothing came")};
}

TEST(FileByteSource, H7_ReadsRangesOfFilesOnItsOwnThread) {
    const test::TempFolder folder;
    test::Random random(71);
    std::map<std::string, std::vector<std::byte>> files;
    for (const char* name : {"terrain.json", "tiles/0/1-2.jtile", "tiles/3/0-0.jtile", "empty"}) {
        files[name] = content(std::string_view(name) == "empty" ? 0 : 1000 + 7 * files.size(),
                              static_cast<unsigned>(files.size()));
        write(folder.path() / name, files[name]);
    }
    FileByteSource source(folder.path());
    std::map<std::uint64_t, std::vector<std::byte>> expected;
    for (int i = 0; i < 300; ++i) {
        const auto& [name, bytes] = *std::next(files.begin(), random.integer(0, 3));
        ByteRange range{name};
        range.offset = static_cast<std::uint64_t>(random.integer(0, static_cast<int>(bytes.size())));
        const std::uint64_t left = bytes.size() - range.offset;
        range.size = random.chance(0.3) ? ByteRange::kToEnd : random.next() % (left + 1);
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(range.offset);
        const std::uint64_t id = source.request(range);
        ASSERT_NE(id, 0u);
        ASSERT_FALSE(expected.contains(id));
        expected[id] = {begin, begin + static_cast<std::ptrdiff_t>(std::min(range.size, left))};
    }
    while (!expected.empty()) {
        const ByteSource::Finished finished = wait(source);
        ASSERT_TRUE(finished.bytes.ok()) << finished.bytes.error().message;
        ASSERT_TRUE(expected.contains(finished.id));
        ASSERT_EQ(*finished.bytes, expected[finished.id]);
        expected.erase(finished.id);
    }
    EXPECT_FALSE(source.poll().has_value());
}

TEST(FileByteSource, ReadsOneFileByTheEmptyPath) {
    const test::TempFolder folder;
    const auto bytes = content(5000, 3);
    write(folder.path() / "world.karst", bytes);
    FileByteSource source(folder.path() / "world.karst");
    source.request({"", 4000, 10});
    const ByteSource::Finished part = wait(source);
    ASSERT_TRUE(part.bytes.ok());
    EXPECT_EQ(*part.bytes, std::vector<std::byte>(bytes.begin() + 4000, bytes.begin() + 4010));
    source.request({"other"});
    EXPECT_FALSE(wait(source).bytes.ok());
}

TEST(FileByteSource, ShortReadsAndAbsentFilesAreErrors) {
    const test::TempFolder folder;
    write(folder.path() / "a/b", content(100, 1));
    const auto code = [&](const ByteRange& range, std::uint64_t most = kMostFileBytes) {
        const auto bytes = readFileRange(folder.path(), range, most);
        EXPECT_FALSE(bytes.ok()) << range.path;
        return bytes.ok() ? ErrorCode::DeviceLost : bytes.error().code;
    };
    EXPECT_EQ(code({"a/b", 0, 101}), ErrorCode::Io);
    EXPECT_EQ(code({"a/b", 101}), ErrorCode::Io);
    EXPECT_EQ(code({"a/b", 90, 11}), ErrorCode::Io);
    EXPECT_EQ(code({"a/b", 1, ~std::uint64_t{0} - 1}), ErrorCode::Io);
    EXPECT_EQ(code({"a/b", ~std::uint64_t{0}, 1}), ErrorCode::Io);
    EXPECT_EQ(code({"a/b"}, 99), ErrorCode::TooLarge);
    EXPECT_EQ(code({"a/c"}), ErrorCode::NotFound);
    EXPECT_EQ(code({"a/b/c"}), ErrorCode::NotFound);
    EXPECT_EQ(code({"a"}), ErrorCode::InvalidArgument);
    EXPECT_EQ(code({""}), ErrorCode::InvalidArgument);
    EXPECT_TRUE(readFileRange(folder.path(), {"a/b", 100}).ok());
    const auto absent = readFileRange(folder.path() / "nowhere", {"x"});
    ASSERT_FALSE(absent.ok());
    EXPECT_EQ(absent.error().code, ErrorCode::NotFound);
}

TEST(FileByteSource, PathsThatLeaveTheFolderAreRefused) {
    const test::TempFolder outer;
    const fs::path root = outer.path() / "package";
    write(root / "inside", content(10, 0));
    write(outer.path() / "secret", content(10, 0));
    for (const std::string path : {"../secret", "a/../../secret", "..", ".", "./inside", "a//b", "inside/",
                                   "C:/secret", "a\\b", "..\\secret", "in\nside", "/etc/passwd"}) {
        const auto bytes = readFileRange(root, {path});
        ASSERT_FALSE(bytes.ok()) << path;
        EXPECT_EQ(bytes.error().code, ErrorCode::InvalidArgument) << path;
    }
    EXPECT_FALSE(readFileRange(root, {std::string(1025, 'a')}).ok());
    EXPECT_FALSE(readFileRange(root, {(outer.path() / "secret").string()}).ok());
    EXPECT_TRUE(readFileRange(root, {"inside"}).ok());
}

TEST(FileByteSource, SymbolicLinksThatLeaveTheFolderAreRefused) {
    const test::TempFolder outer;
    const fs::path root = outer.path() / "package";
    write(root / "tiles/inside", content(10, 0));
    write(outer.path() / "package2/secret", content(10, 0));
    fs::create_symlink("tiles/inside", root / "within");
    fs::create_symlink("../package2/secret", root / "link");
    fs::create_directory_symlink(outer.path() / "package2", root / "folder");
    fs::create_symlink(root / "loop", root / "loop");
    EXPECT_TRUE(readFileRange(root, {"within"}).ok());
    for (const char* path : {"link", "folder/secret"}) {
        const auto bytes = readFileRange(root, {path});
        ASSERT_FALSE(bytes.ok()) << path;
        EXPECT_EQ(bytes.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(bytes.error().message, HasSubstr("symbolic link leaves the folder"));
    }
    EXPECT_FALSE(readFileRange(root, {"loop"}).ok());
    // The folder itself may be reached through a link.
    fs::create_directory_symlink(root, outer.path() / "alias");
    EXPECT_TRUE(readFileRange(outer.path() / "alias", {"tiles/inside"}).ok());
}

TEST(FileByteSource, CancelledReadsDoNotComeOut) {
    const test::TempFolder folder;
    write(folder.path() / "f", content(100000, 5));
    test::Random random(72);
    FileByteSource source(folder.path());
    for (int round = 0; round < 30; ++round) {
        std::set<std::uint64_t> wanted;
        std::vector<std::uint64_t> all;
        for (int i = 0; i < 40; ++i) {
            all.push_back(source.request({"f"}));
            wanted.insert(all.back());
            if (random.chance(0.5)) {
                const std::uint64_t id = all[static_cast<std::size_t>(random.next() % all.size())];
                if (!wanted.contains(id)) continue;
                source.cancel(id);
                source.cancel(id);
                wanted.erase(id);
            }
        }
        source.cancel(999999);
        while (!wanted.empty()) {
            const ByteSource::Finished finished = wait(source);
            ASSERT_EQ(wanted.erase(finished.id), 1u) << "a cancelled or unknown read came out";
        }
    }
    EXPECT_FALSE(source.poll().has_value());
}

TEST(FileByteSource, MayLeaveWithReadsUnderWay) {
    const test::TempFolder folder;
    write(folder.path() / "f", content(100000, 5));
    for (int i = 0; i < 50; ++i) {
        FileByteSource source(folder.path());
        for (int k = 0; k < i; ++k)
            source.request({"f"});
    }
}

}  // namespace
}  // namespace karst
