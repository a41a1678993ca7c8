#pragma once

#include <karst/import/raster_source.h>

#include <memory>
#include <string>
#include <vector>

#include "byte_file.h"
#include "samples.h"

namespace karst::importer {

/// Samples of one size at regular places in a file: .hgt, .raw, .npy.
struct PackedGrid {
    std::uint64_t offset = 0;        ///< of the first sample in the file
    std::uint64_t columnStride = 0;  ///< bytes from a sample to its eastern neighbour in the file
    std::uint64_t rowStride = 0;     ///< bytes from a sample to the one in the file's next row
    bool southUp = false;            ///< the file's first row is the southern edge
    SampleRule rule;
};

/// Reads a PackedGrid. The one who makes it has seen to it that every sample lies inside the bytes.
class PackedGridSource final : public RasterSource {
  public:
    PackedGridSource(std::unique_ptr<ByteFile> bytes, std::string name, RasterInfo info,
                     const PackedGrid& grid)
        : m_bytes(std::move(bytes)), m_name(std::move(name)), m_info(std::move(info)), m_grid(grid) {
        m_info.heightStep = heightStepOf(grid.rule);
    }

    const RasterInfo& info() const override { return m_info; }
    GridRect preferredWindow() const override;
    Result<void> readWindow(const GridRect& texels, std::span<float> heights,
                            std::span<std::uint8_t> voids) override;

  private:
    bool columnMajor() const { return m_grid.columnStride > m_grid.rowStride; }
    Result<void> readLines(const GridRect& texels, std::span<float> heights);

    std::unique_ptr<ByteFile> m_bytes;
    std::string m_name;
    RasterInfo m_info;
    PackedGrid m_grid;
    std::vector<std::byte> m_buffer;
};

}  // namespace karst::importer
