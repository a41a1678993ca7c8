#include "database.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace karst::voxel {
namespace {

// What a chunk, a name or a statement may take at most; larger ones in a file are refused before they are
// read.
constexpr int kMostBytes = 1 << 20;

ErrorCode kindOf(int code) {
    switch (code & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_TOOBIG:
        case SQLITE_SCHEMA:
        case SQLITE_ERROR:
            return ErrorCode::CorruptData;  // the statements are right, so the tables are not
        case SQLITE_FULL:
            return ErrorCode::TooLarge;
        default:
            return ErrorCode::Io;
    }
}

}  // namespace

Result<Database> Database::open(const std::filesystem::path& path, OpenMode mode, std::uint32_t busyTimeout) {
    const std::string name = path.string();
    std::error_code status;
    const auto fault = [&](ErrorCode code, const char* why) {
        return makeError(code, "voxel store %s: %s", name.c_str(), why);
    };
    if (path.empty()) return fault(ErrorCode::InvalidArgument, "no file name");
    // From the root on, as SQLite takes some short names for other things than files: ":memory:", "file:...".
    const std::filesystem::path absolute = std::filesystem::absolute(path, status);
    if (status) return fault(ErrorCode::Io, status.message().c_str());
    const bool there = std::filesystem::exists(path, status);
    if (mode == OpenMode::Create) {
        const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
        if (!std::filesystem::is_directory(folder, status)) {
            return fault(ErrorCode::NotFound, ("no folder " + folder.string()).c_str());
        }
        // A creation that was cut off left a journal, with which opening makes the file empty again.
        const bool cutOff = std::filesystem::exists(name + "-journal", status);
        if (there && !(std::filesystem::is_regular_file(path, status) &&
                       (cutOff || std::filesystem::file_size(path, status) == 0)))
            return fault(ErrorCode::InvalidArgument, "exists already");
    } else {
        if (!there) return fault(ErrorCode::NotFound, "no such file");
        if (!std::filesystem::is_regular_file(path, status)) {
            return fault(ErrorCode::InvalidArgument, "not a regular file");
        }
    }
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= mode == OpenMode::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (mode == OpenMode::Create) flags |= SQLITE_OPEN_CREATE;
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(absolute.string().c_str(), &handle, flags, nullptr);
    Database database(handle, name, busyTimeout);
    if (code != SQLITE_OK) return database.error(code, "opening");
    sqlite3_busy_timeout(handle, static_cast<int>(busyTimeout));
    // A file may come from anywhere: nothing that it defines runs.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostBytes);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    return database;
}

Database::Database(Database&& other) noexcept
    : m_handle(std::exchange(other.m_handle, nullptr)),
      m_path(std::move(other.m_path)),
      m_busyTimeout(other.m_busyTimeout) {}

Database& Database::operator=(Database&& other) noexcept {
    std::swap(m_handle, other.m_handle);
    std::swap(m_path, other.m_path);
    std::swap(m_busyTimeout, other.m_busyTimeout);
    return *this;
}

Database::~Database() {
    sqlite3_close_v2(m_handle);
}

Result<void> Database::execute(const char* sql, const char* what) {
    const int code = sqlite3_exec(m_handle, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return error(code, what);
    return {};
}

Result<std::int64_t> Database::number(const char* sql, const char* what) {
    Result<Statement> statement = Statement::prepare(*this, sql, what);
    if (!statement) return statement.error();
    const Result<bool> row = statement->step();
    if (!row) return row.error();
    return statement->integer(0).value_or(0);
}

Error Database::error(int code, const char* what) const {
    const char* why = m_handle != nullptr ? sqlite3_errmsg(m_handle) : sqlite3_errstr(code);
    std::string more;
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            more = ": another process holds the file, waited " + std::to_string(m_busyTimeout) + " ms";
            break;
        case SQLITE_READONLY:
            more = ": the file or its folder is read-only";
            break;
        case SQLITE_FULL:
            more = ": no space is left on the disk, or the file's limit is reached";
            break;
        case SQLITE_NOTADB:
            more = ": not a voxel store";
            break;
        case SQLITE_CANTOPEN:
        case SQLITE_IOERR:
            if (const int number = m_handle != nullptr ? sqlite3_system_errno(m_handle) : 0; number != 0)
                more = std::string(": ") + std::strerror(number);
            break;
        default:
            break;
    }
    return makeError(kindOf(code), "voxel store %s: %s: %s%s", m_path.c_str(), what, why, more.c_str());
}

Error Database::damaged(const char* format, ...) const {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return makeError(ErrorCode::CorruptData, "voxel store %s: %s", m_path.c_str(), text);
}

Result<Statement> Statement::prepare(Database& database, const char* sql, const char* what) {
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v2(database.handle(), sql, -1, &handle, nullptr);
    if (code != SQLITE_OK) return database.error(code, what);
    return Statement(database, handle, what);
}

Statement::Statement(Statement&& other) noexcept
    : m_database(other.m_database), m_handle(std::exchange(other.m_handle, nullptr)), m_what(other.m_what) {}

void Statement::bind(int parameter, std::string_view text) {
    sqlite3_bind_text(m_handle, parameter + 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

void Statement::bind(int parameter, std::span<const std::byte> bytes) {
    sqlite3_bind_blob(m_handle, parameter + 1, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(m_handle);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return m_database->error(code, m_what);
}

Result<void> Statement::run() {
    const Result<bool> done = step();
    reset();
    if (!done) return done.error();
    return {};
}

std::optional<std::int64_t> Statement::integer(int column) const {
    if (sqlite3_column_type(m_handle, column) != SQLITE_INTEGER) return std::nullopt;
    return sqlite3_column_int64(m_handle, column);
}

std::optional<double> Statement::real(int column) const {
    if (sqlite3_column_type(m_handle, column) != SQLITE_FLOAT) return std::nullopt;
    return sqlite3_column_double(m_handle, column);
}

std::optional<std::string_view> Statement::text(int column) const {
    if (sqlite3_column_type(m_handle, column) != SQLITE_TEXT) return std::nullopt;
    const auto* chars = reinterpret_cast<const char*>(sqlite3_column_text(m_handle, column));
    if (chars == nullptr) return std::nullopt;
    return std::string_view(chars, static_cast<std::size_t>(sqlite3_column_bytes(m_handle, column)));
}

std::optional<std::span<const std::byte>> Statement::blob(int column) const {
    if (sqlite3_column_type(m_handle, column) != SQLITE_BLOB) return std::nullopt;
    const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(m_handle, column));
    return std::span(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_handle, column)));
}

Result<Transaction> Transaction::begin(Database& database, bool write) {
    const Result<void> begun = write ? database.execute("BEGIN IMMEDIATE", "beginning to save")
                                     : database.execute("BEGIN", "beginning to load");
    if (!begun) return begun.error();
    return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : m_database(std::exchange(other.m_database, nullptr)) {}

Transaction::~Transaction() {
    // Some errors have rolled back already.
    if (m_database != nullptr && sqlite3_get_autocommit(m_database->handle()) == 0)
        static_cast<void>(m_database->execute("ROLLBACK", "rolling back"));
}

Result<void> Transaction::commit() {
    const Result<void> committed = m_database->execute("COMMIT", "committing");
    if (committed.ok()) m_database = nullptr;
    return committed;
}

}  // namespace karst::voxel
