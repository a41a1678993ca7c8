#pragma once

#include <karst/base/result.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace karst::voxel {

enum class OpenMode { Create, ReadWrite, ReadOnly };

/// One connection. Every error names the file, what was being done and why it failed.
class Database {
  public:
    static Result<Database> open(const std::filesystem::path& path, OpenMode mode, std::uint32_t busyTimeout);
    Database(Database&& other) noexcept;
    Database& operator=(Database&& other) noexcept;
    ~Database();

    const std::string& path() const { return m_path; }
    bool readOnly() const { return sqlite3_db_readonly(m_handle, "main") == 1; }
    sqlite3* handle() const { return m_handle; }

    Result<void> execute(const char* sql, const char* what);
    /// The first column of the first row.
    Result<std::int64_t> number(const char* sql, const char* what);
    /// The error that the last call on the connection left, of `code`.
    Error error(int code, const char* what) const;
    /// CorruptData, "<path>: " and the message.
    [[gnu::format(printf, 2, 3)]] Error damaged(const char* format, ...) const;

  private:
    Database(sqlite3* handle, std::string path, std::uint32_t busyTimeout)
        : m_handle(handle), m_path(std::move(path)), m_busyTimeout(busyTimeout) {}

    sqlite3* m_handle = nullptr;
    std::string m_path;
    std::uint32_t m_busyTimeout = 0;
};

/// A prepared statement; its columns and parameters are counted from 0.
class Statement {
  public:
    static Result<Statement> prepare(Database& database, const char* sql, const char* what);
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&&) = delete;
    ~Statement() { sqlite3_finalize(m_handle); }

    void bind(int parameter, std::int64_t value) { sqlite3_bind_int64(m_handle, parameter + 1, value); }
    void bind(int parameter, double value) { sqlite3_bind_double(m_handle, parameter + 1, value); }
    /// The text and the bytes must stay until the next reset().
    void bind(int parameter, std::string_view text);
    void bind(int parameter, std::span<const std::byte> bytes);

    /// True where there is a row.
    Result<bool> step();
    /// Runs a statement that gives no rows, and makes it ready again.
    Result<void> run();
    void reset() { sqlite3_reset(m_handle); }

    /// Nothing where the column is of another type than asked for.
    std::optional<std::int64_t> integer(int column) const;
    std::optional<double> real(int column) const;
    std::optional<std::string_view> text(int column) const;
    std::optional<std::span<const std::byte>> blob(int column) const;

  private:
    Statement(Database& database, sqlite3_stmt* handle, const char* what)
        : m_database(&database), m_handle(handle), m_what(what) {}

    Database* m_database;
    sqlite3_stmt* m_handle;
    const char* m_what;
};

/// Rolls back at its end unless it was committed.
class Transaction {
  public:
    /// `write`: as the only writer, from the start.
    static Result<Transaction> begin(Database& database, bool write);
    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    Result<void> commit();

  private:
    explicit Transaction(Database& database) : m_database(&database) {}
    Database* m_database;
};

}  // namespace karst::voxel
