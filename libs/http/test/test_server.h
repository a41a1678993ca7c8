#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace karst::http::scripted {

/// A connection of a RawServer, and the request that came last.
class Connection {
  public:
    Connection(int socket, const std::atomic<bool>& stop) : m_socket(socket), m_stop(stop) {}

    std::string path;   ///< such as "/a/b"
    std::string range;  ///< value of the Range header, empty without
    bool keepOpen = true;

    /// False where the other side is gone or the server stops.
    bool send(const std::string& bytes);
    /// A whole answer with its Content-Length.
    void answer(const std::string& status, const std::string& body, const std::string& headers = {});
    /// The part of `file` that was asked for, or all of it.
    void answerFile(const std::string& file);
    /// After this answer.
    void close() { keepOpen = false; }
    /// At once, with a reset instead of an orderly end.
    void reset();
    /// Says nothing until the other side is gone or the server stops.
    void hold();
    void pause(int milliseconds) const;
    bool stopping() const { return m_stop; }

    bool readRequest();

  private:
    int m_socket;
    const std::atomic<bool>& m_stop;
    std::string m_read;
};

/// An HTTP server on 127.0.0.1 that can misbehave: its handler writes raw bytes. Handlers run on a thread for
/// each connection.
class RawServer {
  public:
    using Handler = std::function<void(Connection&)>;

    explicit RawServer(Handler handler, std::uint16_t port = 0);
    ~RawServer();
    RawServer(const RawServer&) = delete;
    RawServer& operator=(const RawServer&) = delete;

    /// Breaks all connections and takes no more.
    void kill();

    std::uint16_t port() const { return m_port; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port); }
    int connections() const { return m_connections; }
    int requests() const { return m_requests; }

  private:
    void acceptLoop();

    Handler m_handler;
    int m_listener = -1;
    std::uint16_t m_port = 0;
    std::atomic<bool> m_stop{false};
    std::atomic<int> m_connections{0}, m_requests{0};
    std::thread m_thread;
    std::vector<std::thread> m_threads;
};

}  // namespace karst::http::scripted
