#pragma once

#include "pass_pipeline.h"

namespace karst::render {

/// What a pass of one pipeline owns; its Impl is one.
struct PassImpl {
    DeviceFunctions fn;
    PassPipeline pipeline;

    explicit PassImpl(const DeviceFunctions& functions) : fn(functions) {}
    PassImpl(const PassImpl&) = delete;
    PassImpl& operator=(const PassImpl&) = delete;
    ~PassImpl() { destroyPassPipeline(fn, pipeline); }
};

}  // namespace karst::render
