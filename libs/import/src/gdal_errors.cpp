#include "gdal_errors.h"

#include "message.h"

namespace karst::importer {

GdalErrors::GdalErrors() {
    CPLPushErrorHandlerEx(&GdalErrors::take, this);  // GDAL keeps its stack of handlers per thread
}

GdalErrors::~GdalErrors() {
    CPLPopErrorHandler();
    CPLErrorReset();
}

std::string GdalErrors::because() const {
    return m_failure.empty() ? std::string() : ": " + m_failure;
}

void CPL_STDCALL GdalErrors::take(CPLErr kind, CPLErrorNum, const char* message) {
    auto* self = static_cast<GdalErrors*>(CPLGetErrorHandlerUserData());
    std::string& to = kind >= CE_Failure ? self->m_failure : self->m_warning;
    if (kind < CE_Warning || !to.empty()) return;
    for (const char* c = message; *c != '\0' && to.size() < 400; ++c)
        to += *c >= ' ' && *c <= '~' ? *c : ' ';
}

}  // namespace karst::importer
