#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst_test/test_support.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// Runs the built tool as a process of its own.
namespace karst {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Outcome {
    int code = -1;
    std::string out, err;
};

inline std::string contents(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// A folder for one test, and the tool run on what lies there.
class CliBuild : public testing::Test {
  protected:
    std::string file(const std::string& name) const { return (m_folder.path() / name).string(); }

    // Unsigned 16-bit hills of that many samples a side, headerless: name.r16.
    std::string raw(const std::string& name, int side) const {
        std::string bytes;
        bytes.reserve(std::size_t(side) * std::size_t(side) * 2);
        for (int z = 0; z < side; ++z) {
            for (int x = 0; x < side; ++x) {
                const auto h = static_cast<unsigned>(3000 + 900 * std::sin(x * 0.05) * std::cos(z * 0.03) +
                                                     (x * 7 + z * 13) % 5);
                bytes += static_cast<char>(h & 255);
                bytes += static_cast<char>(h >> 8);
            }
        }
        std::ofstream(file(name), std::ios::binary) << bytes;
        return file(name);
    }

    /// `environment`: NAME=value, added to this process's.
    pid_t start(const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment = {}) const {
        const pid_t child = ::fork();
        if (child != 0) return child;
        for (const std::string& variable : environment)
            ::putenv(const_cast<char*>(variable.c_str()));
        std::vector<const char*> list{KARST_TOOL};
        for (const std::string& argument : arguments)
            list.push_back(argument.c_str());
        list.push_back(nullptr);
        const int out = ::open(file("stdout").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666);
        const int err = ::open(file("stderr").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666);
        ::dup2(out, 1);
        ::dup2(err, 2);
        ::execv(KARST_TOOL, const_cast<char* const*>(list.data()));
        ::_exit(127);
    }
    Outcome wait(pid_t child) const {
        int status = 0;
        ::waitpid(child, &status, 0);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(file("stdout")),
                contents(file("stderr"))};
    }
    Outcome run(const std::vector<std::string>& arguments) const { return wait(start(arguments)); }
    void works(const std::vector<std::string>& arguments, const std::string& part = "") const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
        EXPECT_THAT(outcome.out, HasSubstr(part));
    }
    void fails(const std::vector<std::string>& arguments, int code, const std::string& part) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, code) << outcome.err;
        EXPECT_THAT(outcome.err + outcome.out, HasSubstr(part));
    }
    /// A package of either form as its files.
    std::map<std::string, std::string> files(const std::string& folder) const {
        std::map<std::string, std::string> all;
        if (fs::is_regular_file(file(folder))) all[""] = contents(file(folder));
        if (!fs::is_directory(file(folder))) return all;
        for (const auto& entry : fs::recursive_directory_iterator(file(folder))) {
            if (entry.is_regular_file())
                all[fs::relative(entry.path(), file(folder)).string()] = contents(entry.path());
        }
        return all;
    }

  private:
    test::TempFolder m_folder;
};

}  // namespace karst
