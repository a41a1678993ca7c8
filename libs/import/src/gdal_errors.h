#pragma once

#include <cpl_error.h>

#include <string>

namespace karst::importer {

/// While one stands, what GDAL says on this thread is kept here and not printed.
class GdalErrors {
  public:
    GdalErrors();
    ~GdalErrors();
    GdalErrors(const GdalErrors&) = delete;
    GdalErrors& operator=(const GdalErrors&) = delete;

    /// ": " and the first failure GDAL told of, or nothing.
    std::string because() const;
    /// The first warning, or nothing.
    const std::string& warning() const { return m_warning; }

  private:
    static void CPL_STDCALL take(CPLErr kind, CPLErrorNum number, const char* message);
    std::string m_failure, m_warning;
};

}  // namespace karst::importer
