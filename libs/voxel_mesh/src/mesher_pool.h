#pragma once

// Meshers that several threads lend from in turn, so that each is made once and stays warm.

#include <karst/voxel_mesh/chunk_surface.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace karst::voxel_mesh {

class MesherPool {
  public:
    MesherPool(const SurfaceOptions& options, Allocator& allocator)
        : m_options(options), m_allocator(&allocator) {}

    std::unique_ptr<ChunkMesher> take() {
        {
            const std::lock_guard lock(m_mutex);
            if (!m_free.empty()) {
                std::unique_ptr<ChunkMesher> mesher = std::move(m_free.back());
                m_free.pop_back();
                return mesher;
            }
        }
        return std::make_unique<ChunkMesher>(m_options, *m_allocator);
    }
    void giveBack(std::unique_ptr<ChunkMesher> mesher) {
        const std::lock_guard lock(m_mutex);
        m_free.push_back(std::move(mesher));
    }

  private:
    SurfaceOptions m_options;
    Allocator* m_allocator;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<ChunkMesher>> m_free;
};

}  // namespace karst::voxel_mesh
