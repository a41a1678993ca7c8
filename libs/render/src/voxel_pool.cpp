#include <karst/render/voxel_pool.h>

#include <karst/base/hash.h>

#include <algorithm>
#include <cmath>

#include "descriptor_set.h"
#include "voxel_pool_impl.h"

namespace karst::render {

namespace {

constexpr std::uint32_t kMaxCommands = 65535;  // what every device with multiDrawIndirect takes in one call
constexpr const char* kSetName = "karst voxel pool";
constexpr DescriptorBinding kSetBindings[] = {
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_COMPUTE_BIT},
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
     VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT}};
constexpr const char* kGeometryName = "karst voxel blocks";
constexpr DescriptorBinding kBlock{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                   VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_COMPUTE_BIT};
constexpr std::array kGeometryBindings = {kBlock, kBlock, kBlock, kBlock, kBlock, kBlock};
static_assert(kGeometryBindings.size() == 2 * GeometryHeap::kBlocks);
constexpr double kTwoPi = 6.283185307179586;
constexpr float kGravity = 9.81f;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1536} << 20;

Result<void> within(const char* name, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
    if (value >= low && value <= high) return {};
    return makeError(ErrorCode::InvalidArgument, "voxel pool: %s %llu is not in %llu..%llu", name,
                     static_cast<unsigned long long>(value), static_cast<unsigned long long>(low),
                     static_cast<unsigned long long>(high));
}

Result<void> check(const VoxelPoolDesc& desc) {
    struct Named {
        const char* name;
        std::uint64_t value, low, high;
    };
    for (const Named& n : {Named{"solidBytes", desc.solidBytes, 64 << 10, kMaxBytes},
                           Named{"waterBytes", desc.waterBytes, 64 << 10, kMaxBytes},
                           Named{"maxChunks", desc.maxChunks, 1, 65536},
                           Named{"uploadBudgetBytes", desc.uploadBudgetBytes, 4 << 10, 256 << 20},
                           Named{"framesInFlight", desc.framesInFlight, 1, UploadRing::kMaxFramesInFlight}}) {
        if (auto good = within(n.name, n.value, n.low, n.high); !good) return good;
    }
    const voxel::GridPlacement& p = desc.placement;
    if (!(p.cellSize > 0) || !std::isfinite(p.cellSize) || !isFinite(p.origin)) {
        return makeError(ErrorCode::InvalidArgument,
                         "voxel pool: cells of %g at (%g, %g, %g) are no placement of a grid", p.cellSize,
                         p.origin.x, p.origin.y, p.origin.z);
    }
    if (!(desc.waveReach >= 0) || !std::isfinite(desc.waveReach)) {
        return makeError(ErrorCode::InvalidArgument, "voxel pool: waveReach %g is not a length of 0 or more",
                         desc.waveReach);
    }
    return {};
}

gpu::vec4 pack(Vec3f v, float w) {
    return {v.x, v.y, v.z, w};
}

}  // namespace

std::size_t ChunkCoordHash::operator()(voxel::ChunkCoord c) const {
    const std::uint64_t low = static_cast<std::uint32_t>(c.x) | std::uint64_t{static_cast<std::uint32_t>(c.y)}
                                                                    << 32;
    return static_cast<std::size_t>(mix64(mix64(low) ^ static_cast<std::uint32_t>(c.z)));
}

VoxelPool::Impl::Impl(const DeviceFunctions& functions, const VoxelPoolDesc& poolDesc)
    : fn(functions), desc(poolDesc) {
    heaps[kSolid] =
        std::make_unique<GeometryHeap>(fn, "karst voxel ground", desc.solidBytes, desc.framesInFlight);
    heaps[kWater] =
        std::make_unique<GeometryHeap>(fn, "karst voxel water", desc.waterBytes, desc.framesInFlight);
    entries.resize(desc.maxChunks);
    freeSlots.reserve(desc.maxChunks);
    for (std::uint32_t slot = desc.maxChunks; slot-- > 0;)
        freeSlots.push_back(slot);
}

VoxelPool::Impl::~Impl() {
    for (VkDescriptorPool room : {setPool, geometryPool}) {
        if (room) fn.DestroyDescriptorPool(fn.device, room, nullptr);
    }
    for (VkDescriptorSetLayout layout : {setLayout, geometryLayout}) {
        if (layout) fn.DestroyDescriptorSetLayout(fn.device, layout, nullptr);
    }
    destroyBuffer(fn, records);
    destroyBuffer(fn, looksBuffer);
    for (GpuBuffer& buffer : commands)
        destroyBuffer(fn, buffer);
}

Result<void> VoxelPool::Impl::createBuffers() {
    auto made = createBuffer(fn, "karst voxel chunks", std::uint64_t{desc.maxChunks} * sizeof(gpu::ivec4),
                             VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                             MemoryKind::Device);
    if (!made) return made.error();
    records = *made;
    made = createBuffer(fn, "karst voxel looks", sizeof(gpu::GpuVoxelLooks),
                        VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                        MemoryKind::Device);
    if (!made) return made.error();
    looksBuffer = *made;
    // Whole words: an index is never cut in two.
    auto ring =
        UploadRing::create(fn, "karst voxel staging", desc.uploadBudgetBytes / 4 * 4, desc.framesInFlight);
    if (!ring) return ring.error();
    staging = std::move(*ring);
    if (!multiDrawIndirect) return {};
    commandCapacity = std::min(desc.maxChunks * 4, kMaxCommands);
    for (std::uint32_t i = 0; i < desc.framesInFlight; ++i) {
        made =
            createBuffer(fn, "karst voxel draws", std::uint64_t{commandCapacity} * sizeof(VoxelDrawCommand),
                         VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, MemoryKind::HostVisible);
        if (!made) return made.error();
        commands[i] = *made;
    }
    return {};
}

Result<VkDescriptorSetLayout> createVoxelSetLayout(const DeviceFunctions& fn) {
    return createSetLayout(fn, kSetName, kSetBindings);
}

Result<VkDescriptorSetLayout> createGeometrySetLayout(const DeviceFunctions& fn) {
    return createSetLayout(fn, kGeometryName, kGeometryBindings);
}

Result<void> VoxelPool::Impl::checkStorage() const {
    VkPhysicalDeviceProperties properties{};
    fn.GetPhysicalDeviceProperties(fn.physicalDevice, &properties);
    const std::uint64_t largest = heaps[kSolid]->largestBufferBytes();
    if (largest <= properties.limits.maxStorageBufferRange) return {};
    return makeError(
        ErrorCode::InvalidArgument,
        "voxel pass: solidBytes %llu make a buffer of %llu bytes, and the device reads at most %u "
        "of one for PassKind::Visibility",
        static_cast<unsigned long long>(desc.solidBytes), static_cast<unsigned long long>(largest),
        properties.limits.maxStorageBufferRange);
}

Result<void> VoxelPool::Impl::updateGeometrySet() {
    const GeometryHeap& heap = *heaps[kSolid];
    if (heap.blockCount() == 0 || geometrySets[heap.blockCount() - 1] != VK_NULL_HANDLE || !storageFits)
        return {};
    auto made = allocateSet(fn, kGeometryName, geometryPool, geometryLayout);
    if (!made) return made.error();
    std::array<DescriptorValue, kGeometryBindings.size()> values;
    for (std::uint32_t block = 0; block < GeometryHeap::kBlocks; ++block) {
        const std::uint32_t there = block < heap.blockCount() ? block : 0;
        values[block * 2] = DescriptorValue::whole(heap.indices(there).buffer);
        values[block * 2 + 1] = DescriptorValue::whole(heap.vertices(there).buffer);
    }
    writeSet(fn, *made, kGeometryBindings, values);
    geometrySets[heap.blockCount() - 1] = *made;
    return {};
}

VkDescriptorSet VoxelPool::Impl::geometrySet() const {
    const std::uint32_t blocks = heaps[kSolid]->blockCount();
    return blocks > 0 ? geometrySets[blocks - 1] : VK_NULL_HANDLE;
}

Result<void> VoxelPool::Impl::createSet() {
    auto layout = createVoxelSetLayout(fn);
    if (!layout) return layout.error();
    setLayout = *layout;
    auto room = createDescriptorPool(fn, kSetName, kSetBindings, 1);
    if (!room) return room.error();
    setPool = *room;
    auto made = allocateSet(fn, kSetName, setPool, setLayout);
    if (!made) return made.error();
    set = *made;
    writeSet(fn, set, kSetBindings,
             std::array{DescriptorValue::whole(records.buffer), DescriptorValue::whole(looksBuffer.buffer)});
    layout = createGeometrySetLayout(fn);
    if (!layout) return layout.error();
    geometryLayout = *layout;
    room = createDescriptorPool(fn, kGeometryName, kGeometryBindings, GeometryHeap::kBlocks);
    if (!room) return room.error();
    geometryPool = *room;
    storageFits = checkStorage().ok();
    return {};
}

void VoxelPool::Impl::list(std::uint32_t slot) {
    if (!entries[slot].listed) changed.push_back(slot);
    entries[slot].listed = true;
}

// Of a mesh on its way: the places that it has.
void VoxelPool::Impl::dropPlaces(std::uint32_t slot) {
    Entry& entry = entries[slot];
    if (!entry.pending || !entry.pending->placed) return;
    Pending& pending = *entry.pending;
    for (const Kind kind : {kSolid, kWater}) {
        if (!pending.mesh[kind] || pending.mesh[kind]->empty()) continue;
        if (pending.done > 0) {
            heaps[kind]->retire(pending.place[kind]);
        } else {
            heaps[kind]->unplace(pending.place[kind]);
        }
    }
    pending.placed = false;
    pending.done = 0;
    if (underWay == slot) underWay.reset();
}

void VoxelPool::Impl::count(Entry& entry, Kind kind, std::size_t vertexCount, std::size_t triangleCount) {
    vertices[kind] = vertices[kind] - entry.vertices[kind] + vertexCount;
    triangles[kind] = triangles[kind] - entry.triangles[kind] + triangleCount;
    entry.vertices[kind] = static_cast<std::uint32_t>(vertexCount);
    entry.triangles[kind] = static_cast<std::uint32_t>(triangleCount);
}

Bounds VoxelPool::Impl::worldBounds(voxel::ChunkCoord chunk, const EncodedMesh& mesh, Kind kind) const {
    if (mesh.empty()) return {};
    const WorldPosition corner = desc.placement.cellCorner(voxel::firstCell(chunk));
    const double wave = kind == kWater ? desc.waveReach : 0.0;
    const Vec3d margin{wave, wave, wave};
    return {corner + toDouble(mesh.min) * desc.placement.cellSize - margin,
            corner + toDouble(mesh.max) * desc.placement.cellSize + margin};
}

Result<void> VoxelPool::Impl::publish(voxel::ChunkCoord chunk, std::optional<EncodedMesh> (&mesh)[2],
                                      std::uint32_t slot) {
    Entry& entry = entries[slot];
    for (const Kind kind : {kSolid, kWater}) {
        if (!mesh[kind]) continue;
        const std::size_t v = mesh[kind]->vertices.size(), t = mesh[kind]->indices.size() / 3;
        const bool fits =
            v <= ~0u && t <= ~0u &&
            heaps[kind]->fitsABlock(static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(t)) &&
            heaps[kind]->holds(vertices[kind] - entry.vertices[kind] + v,
                               triangles[kind] - entry.triangles[kind] + t);
        if (!fits) {
            return makeError(
                ErrorCode::TooLarge,
                "voxel pool: %s of chunk (%d, %d, %d) with %zu vertices and %zu triangles does not "
                "fit: %llu and %llu are there, in %llu bytes",
                kind == kSolid ? "the ground" : "the water", chunk.x, chunk.y, chunk.z, v, t,
                static_cast<unsigned long long>(vertices[kind]),
                static_cast<unsigned long long>(triangles[kind]),
                static_cast<unsigned long long>(kind == kSolid ? desc.solidBytes : desc.waterBytes));
        }
    }
    if (!entry.used) {
        entry.used = true;
        entry.coord = chunk;
        slots.emplace(chunk, slot);
        freeSlots.pop_back();
    }
    dropPlaces(slot);
    if (!entry.pending) entry.pending = std::make_unique<Pending>();
    for (const Kind kind : {kSolid, kWater}) {
        // What was withdrawn and is not told anew must go too.
        if (!mesh[kind] && entry.withdrawn) mesh[kind].emplace();
        if (!mesh[kind]) continue;
        count(entry, kind, mesh[kind]->vertices.size(), mesh[kind]->indices.size() / 3);
        entry.bounds[kind] = worldBounds(chunk, *mesh[kind], kind);
        entry.pending->mesh[kind] = std::move(mesh[kind]);
    }
    entry.withdrawn = false;
    list(slot);
    return {};
}

void VoxelPool::Impl::withdraw(std::uint32_t slot) {
    Entry& entry = entries[slot];
    dropPlaces(slot);
    entry.pending.reset();
    count(entry, kSolid, 0, 0);
    count(entry, kWater, 0, 0);
    entry.withdrawn = true;
    list(slot);
}

VoxelPool::VoxelPool(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
VoxelPool::VoxelPool(VoxelPool&&) noexcept = default;
VoxelPool& VoxelPool::operator=(VoxelPool&&) noexcept = default;
VoxelPool::~VoxelPool() = default;

Result<VoxelPool> VoxelPool::create(const VulkanDevice& device, const VoxelPoolDesc& desc) {
    if (auto good = check(desc); !good) return good.error();
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    auto impl = std::make_unique<Impl>(*fn, desc);
    impl->multiDrawIndirect = device.multiDrawIndirect;
    if (auto made = impl->createBuffers(); !made) return made.error();
    if (auto made = impl->createSet(); !made) return made.error();
    VoxelPool pool(std::move(impl));
    pool.setPalette(paletteOf(voxel::MaterialTable::standard()));
    WaterLook water;
    water.waveHeight = std::min(water.waveHeight, static_cast<float>(desc.waveReach));
    if (auto set = pool.setWater(water); !set) return set.error();
    return pool;
}

void VoxelPool::setPalette(const VoxelPalette& palette) {
    for (std::size_t i = 0; i < palette.size(); ++i) {
        const VoxelMaterial& from = palette[i];
        gpu::GpuVoxelMaterial& to = m_impl->looks.materials[i];
        to.color = pack(from.color, from.roughness);
        to.pattern = {from.mottle, from.bump, static_cast<float>(std::clamp(from.grain, 0, 8)), 0};
    }
    m_impl->newLooks = true;
}

Result<void> VoxelPool::setWater(const WaterLook& look) {
    const bool good = look.waveHeight >= 0 && double{look.waveHeight} <= m_impl->desc.waveReach &&
                      look.waveLength > 0 && std::isfinite(look.waveLength) && std::isfinite(look.waveSpeed);
    if (!(look.clearDepth > 0) || !std::isfinite(look.clearDepth)) {
        return makeError(ErrorCode::InvalidArgument, "voxel pool: water's clearDepth %g is not above 0",
                         double{look.clearDepth});
    }
    if (!good) {
        return makeError(
            ErrorCode::InvalidArgument,
            "voxel pool: waves of height %g (0 .. waveReach %g), length %g (above 0) and speed %g",
            double{look.waveHeight}, m_impl->desc.waveReach, double{look.waveLength}, double{look.waveSpeed});
    }
    // The longest of the shader's waves has the wave vector (8, 1) of this period.
    m_impl->wavePeriod = double{look.waveLength} * std::sqrt(65.0);
    gpu::GpuVoxelLooks& to = m_impl->looks;
    to.waterColor = pack(look.color, look.opacity);
    to.waterShallow = pack(look.shallow, look.shallowOpacity);
    to.waterDepth = {1 / look.clearDepth, 0, 0, 0};
    to.waterFoam = pack(look.foam, look.foamAmount);
    to.waves = {look.waveHeight, static_cast<float>(kTwoPi / m_impl->wavePeriod), kGravity, look.waveSpeed};
    m_impl->newLooks = true;
    return {};
}

Result<void> VoxelPool::publish(voxel::ChunkCoord chunk, const voxel_mesh::SurfaceMesh* solid,
                                const voxel_mesh::WaterMesh* water, std::span<const VoxelVertexLight> light) {
    Impl& impl = *m_impl;
    const auto found = impl.slots.find(chunk);
    if (found == impl.slots.end()) {
        if ((!solid || solid->empty()) && (!water || water->empty())) return {};
        if (impl.freeSlots.empty()) {
            return makeError(ErrorCode::TooLarge,
                             "voxel pool: chunk (%d, %d, %d) would be one more than the maxChunks %u",
                             chunk.x, chunk.y, chunk.z, impl.desc.maxChunks);
        }
    } else if (!solid && !water) {
        return {};
    }
    const std::uint32_t slot = found != impl.slots.end() ? found->second : impl.freeSlots.back();
    std::optional<EncodedMesh> mesh[2];
    if (solid) {
        auto encoded = encodeSurface(*solid, light, static_cast<std::uint16_t>(slot));
        if (!encoded) return encoded.error();
        mesh[Impl::kSolid] = std::move(*encoded);
    }
    if (water) {
        auto encoded = encodeWater(*water, static_cast<std::uint16_t>(slot));
        if (!encoded) return encoded.error();
        mesh[Impl::kWater] = std::move(*encoded);
    }
    return impl.publish(chunk, mesh, slot);
}

void VoxelPool::withdraw(voxel::ChunkCoord chunk) {
    const auto found = m_impl->slots.find(chunk);
    if (found != m_impl->slots.end()) m_impl->withdraw(found->second);
}

void VoxelPool::withdrawAll() {
    for (std::uint32_t slot = 0; slot < m_impl->entries.size(); ++slot) {
        if (m_impl->entries[slot].used) m_impl->withdraw(slot);
    }
}

VoxelPoolStats VoxelPool::stats() const {
    const Impl& impl = *m_impl;
    VoxelPoolStats stats;
    stats.chunks = impl.slots.size();
    stats.shownSolid = impl.heaps[Impl::kSolid]->shown().size();
    stats.shownWater = impl.heaps[Impl::kWater]->shown().size();
    for (const auto& heap : impl.heaps) {
        for (const GeometryHeap::Shown& shown : heap->shown())
            stats.triangles += shown.range.count;
        stats.usedBytes += heap->usedBytes();
        stats.blockBytes += heap->blockBytes();
        stats.blocks += heap->blockCount();
        stats.freeRanges += heap->freeRanges();
    }
    stats.stagingBytes = impl.staging.frameBytes() * impl.desc.framesInFlight;
    for (const GpuBuffer& buffer : impl.commands)
        stats.stagingBytes += buffer.bytes;
    return stats;
}

const voxel::GridPlacement& VoxelPool::placement() const {
    return m_impl->desc.placement;
}

}  // namespace karst::render
