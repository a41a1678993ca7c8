#include <httplib.h>
#include <karst/base/file_byte_source.h>
#include <karst/heightfield/package_reader.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "command.h"
#include "interruption.h"

namespace karst::tool {
namespace {

namespace fs = std::filesystem;
using heightfield::PackageForm;
using heightfield::PackageReader;

// What of a package a URL may name: its manifest and its tiles, or the one file.
class Shelf {
  public:
    Shelf(const std::string& path, const PackageReader& package) {
        std::error_code code;
        if (package.form() == PackageForm::File) {
            m_root = path;
            m_entrance = fs::path(path).filename().string();
            return;
        }
        m_root = fs::is_directory(path, code) ? fs::path(path) : fs::path(path).parent_path();
        if (m_root.empty()) m_root = ".";
        m_entrance = heightfield::kManifestName;
        m_tiles = package.manifest().tiles + "/";
    }

    const std::string& entrance() const { return m_entrance; }

    // The path beneath the root (empty: the root itself); nothing where the URL names no part of the package.
    std::optional<std::string> find(const std::string& url) const {
        const std::string path = url.substr(url.empty() || url[0] != '/' ? 0 : 1);
        if (m_tiles.empty()) return path == m_entrance ? std::optional<std::string>("") : std::nullopt;
        if (path != m_entrance && path.rfind(m_tiles, 0) != 0) return std::nullopt;
        if (relativePathFault(path) != nullptr) return std::nullopt;
        return path;
    }

    // Nothing where there is no such file, or a symbolic link leads out of the package.
    std::optional<std::uint64_t> size(const std::string& path) const {
        if (!readFileRange(m_root, {path, 0, 0}).ok()) return std::nullopt;
        std::error_code code;
        const std::uint64_t bytes = fs::file_size(path.empty() ? m_root : m_root / path, code);
        return code ? std::nullopt : std::optional(bytes);
    }

    Result<std::vector<std::byte>> read(const std::string& path, std::uint64_t offset,
                                        std::uint64_t size) const {
        return readFileRange(m_root, {path, offset, size});
    }

  private:
    fs::path m_root;
    std::string m_entrance, m_tiles;
};

// Holds the ranges asked for to the file; false where one begins past its end.
bool clampRanges(const httplib::Request& request, std::uint64_t size) {
    // The server hands out its own request as const, and answers with the ranges that stand in it; it does
    // not compare them with the length.
    auto& ranges = const_cast<httplib::Request&>(request).ranges;
    const auto end = static_cast<ssize_t>(size);
    for (auto& [first, last] : ranges) {
        if (first < 0) {  // the last bytes of the file
            last = std::min(last, end);
            if (last <= 0) return false;
        } else {
            if (first >= end) return false;
            if (last < 0 || last >= end) last = end - 1;
        }
    }
    return true;
}

void answer(const Shelf& shelf, const httplib::Request& request, httplib::Response& response) {
    const std::optional<std::string> path = shelf.find(request.path);
    const std::optional<std::uint64_t> size = path ? shelf.size(*path) : std::nullopt;
    if (!size) {
        const_cast<httplib::Request&>(request).ranges.clear();
        response.status = 404;
        response.set_content("the package has no such file\n", "text/plain");
        return;
    }
    response.set_header("Accept-Ranges", "bytes");
    if (!clampRanges(request, *size)) {
        const_cast<httplib::Request&>(request).ranges.clear();
        response.status = 416;
        response.set_header("Content-Range", "bytes */" + std::to_string(*size));
        response.set_content("the range begins past the end of the file\n", "text/plain");
        return;
    }
    const bool json = path->size() >= 5 && path->compare(path->size() - 5, 5, ".json") == 0;
    response.set_content_provider(
        static_cast<std::size_t>(*size), json ? "application/json" : "application/octet-stream",
        [&shelf, file = *path](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
            constexpr std::size_t kAtOnce = std::size_t{1} << 20;
            const auto bytes = shelf.read(file, offset, std::min(length, kAtOnce));
            return bytes.ok() && sink.write(reinterpret_cast<const char*>(bytes->data()), bytes->size());
        });
}

}  // namespace

int runServe(CommandArguments arguments, const Externals&) {
    Arguments parser(
        "serve",
        "Serves a package over HTTP until Ctrl-C, for development: byte ranges, keep-alive, pages of\n"
        "any origin. Nothing but the package can be fetched.");
    std::string file, address = "127.0.0.1";
    std::optional<int> port;
    parser.positional("PACKAGE", "a package: a folder, its terrain.json, or a file", intoString(file));
    parser.option("--port", "N", "0 takes any that is free (8080)", intoInteger(port, 0, 65535));
    parser.option("--address", "ADDRESS", "to listen at; 0.0.0.0 is every one (127.0.0.1)",
                  intoString(address));
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    const auto package = PackageReader::open(file);
    if (!package) return failure(parser, file, package.error());
    const Shelf shelf(file, *package);

    httplib::Server server;
    server.new_task_queue = [] { return new httplib::ThreadPool(32); };
    server.set_keep_alive_max_count(1 << 20);
    server.set_keep_alive_timeout(30);  // seconds
    server.set_tcp_nodelay(true);
    server.set_default_headers(
        {{"Access-Control-Allow-Origin", "*"},
         {"Access-Control-Expose-Headers", "Accept-Ranges, Content-Length, Content-Range"}});
    server.Get(".*", [&](const httplib::Request& request, httplib::Response& response) {
        answer(shelf, request, response);
    });
    server.Options(".*", [](const httplib::Request&, httplib::Response& response) {
        response.set_header("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
        response.set_header("Access-Control-Allow-Headers", "Range");
        response.status = 204;
    });
    const int wanted = port.value_or(8080);
    const int bound =
        wanted == 0 ? server.bind_to_any_port(address) : (server.bind_to_port(address, wanted) ? wanted : -1);
    if (bound < 0) {
        return failure(parser, address,
                       makeError(ErrorCode::Io, "cannot listen at port %d; is it taken?", wanted));
    }
    const Interruption interruption;
    std::printf("%s: http://%s:%d/%s\n", file.c_str(), address.c_str(), bound, shelf.entrance().c_str());
    std::fflush(stdout);
    std::atomic<bool> ended{false};
    std::thread watch([&] {
        while (!Interruption::wanted() && !ended)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        while (!ended && !server.is_running())
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        server.stop();
        // Connections that stay open without a request hold the server's threads until they time out; there
        // is nothing to save, so nobody waits for them.
        for (int tenths = 0; tenths < 10 && !ended; ++tenths)
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (ended) return;
        std::fflush(nullptr);
        std::_Exit(kOk);
    });
    const bool served = server.listen_after_bind();
    ended = true;
    watch.join();
    if (!Interruption::wanted() && !served) {
        return failure(parser, address, makeError(ErrorCode::Io, "listening at port %d failed", bound));
    }
    return kOk;
}

}  // namespace karst::tool
