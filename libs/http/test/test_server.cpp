#include "test_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace karst::http::scripted {
namespace {

constexpr int kPollMilliseconds = 5;

std::string headerOf(const std::string& request, const std::string& name) {
    std::size_t at = request.find("\r\n" + name + ":");
    if (at == std::string::npos) return {};
    at += name.size() + 3;
    std::string value = request.substr(at, request.find("\r\n", at) - at);
    value.erase(0, value.find_first_not_of(' '));
    return value;
}

}  // namespace

bool Connection::readRequest() {
    for (;;) {
        const std::size_t end = m_read.find("\r\n\r\n");
        if (end != std::string::npos) {
            const std::string request = m_read.substr(0, end + 2);
            m_read.erase(0, end + 4);
            const std::size_t first = request.find(' ');
            path = request.substr(first + 1, request.find(' ', first + 1) - first - 1);
            range = headerOf(request, "Range");
            return true;
        }
        pollfd ready{m_socket, POLLIN, 0};
        if (m_stop || m_read.size() > 65536) return false;
        if (::poll(&ready, 1, kPollMilliseconds) <= 0) continue;
        char buffer[4096];
        const ssize_t count = ::recv(m_socket, buffer, sizeof buffer, 0);
        if (count <= 0) return false;
        m_read.append(buffer, static_cast<std::size_t>(count));
    }
}

bool Connection::send(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size() && !m_stop) {
        pollfd ready{m_socket, POLLOUT, 0};
        if (::poll(&ready, 1, kPollMilliseconds) <= 0) continue;
        const ssize_t count =
            ::send(m_socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0) {
            keepOpen = false;
            return false;
        }
        sent += static_cast<std::size_t>(count);
    }
    return !m_stop;
}

void Connection::answer(const std::string& status, const std::string& body, const std::string& headers) {
    send("HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers +
         "\r\n" + body);
}

void Connection::answerFile(const std::string& file) {
    if (range.empty()) return answer("200 OK", file);
    unsigned long long first = 0, last = file.size() - 1;
    std::sscanf(range.c_str(), "bytes=%llu-%llu", &first, &last);
    if (first >= file.size()) return answer("416 Range Not Satisfiable", "");
    last = std::min<unsigned long long>(last, file.size() - 1);
    answer("206 Partial Content", file.substr(first, last - first + 1),
           "Content-Range: bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
               std::to_string(file.size()) + "\r\n");
}

void Connection::reset() {
    const linger hard{1, 0};
    ::setsockopt(m_socket, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    keepOpen = false;
}

void Connection::hold() {
    keepOpen = false;
    while (!m_stop) {
        pollfd ready{m_socket, POLLIN, 0};
        if (::poll(&ready, 1, kPollMilliseconds) <= 0) continue;
        char buffer[256];
        if (::recv(m_socket, buffer, sizeof buffer, MSG_DONTWAIT) <= 0) return;
    }
}

void Connection::pause(int milliseconds) const {
    for (int i = 0; i < milliseconds && !m_stop; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

RawServer::RawServer(Handler handler, std::uint16_t port) : m_handler(std::move(handler)) {
    m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(m_listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    socklen_t size = sizeof address;
    if (::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(m_listener, 64) != 0 ||
        ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        ADD_FAILURE() << "no server on 127.0.0.1:" << port << ": " << std::strerror(errno);
        return;
    }
    m_port = ntohs(address.sin_port);
    m_thread = std::thread([this] { acceptLoop(); });
}

RawServer::~RawServer() {
    kill();
}

void RawServer::kill() {
    m_stop = true;
    if (m_thread.joinable()) m_thread.join();
    for (std::thread& thread : m_threads)
        thread.join();
    m_threads.clear();
    if (m_listener >= 0) ::close(m_listener);
    m_listener = -1;
}

void RawServer::acceptLoop() {
    while (!m_stop) {
        pollfd ready{m_listener, POLLIN, 0};
        if (::poll(&ready, 1, kPollMilliseconds) <= 0) continue;
        const int socket = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) continue;
        const int yes = 1;
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        ++m_connections;
        m_threads.emplace_back([this, socket] {
            Connection connection(socket, m_stop);
            while (connection.keepOpen && connection.readRequest()) {
                ++m_requests;
                m_handler(connection);
            }
            ::close(socket);
        });
    }
}

}  // namespace karst::http::scripted
