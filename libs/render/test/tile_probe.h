#pragma once

#include <common/one_shot.h>
#include <embedded_shaders.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "../../heightfield_mesh/test/drawn_tiles.h"
#include "../shaders/gpu_types.h"
#include "tile_pool.h"

namespace karst::render {

/// Runs the vertex stage's functions in a compute shader over vertices of drawn tiles, from a pool's layers.
class TileProbe {
  public:
    struct Vertex {
        std::uint32_t record = 0;
        std::uint32_t place = 0;  // latticeIndex
    };
    struct Made {
        std::array<float, 4> position, gradient;
    };

    explicit TileProbe(app::VulkanContext& context)
        : m_context(context), m_fn(DeviceFunctions::load(context.description()).value()), m_retired(m_fn, 1) {
        createPipeline();
    }
    ~TileProbe() {
        for (const VkDescriptorSetLayout layout : m_setLayouts)
            m_fn.DestroyDescriptorSetLayout(m_fn.device, layout, nullptr);
        m_fn.DestroyPipeline(m_fn.device, m_pipeline, nullptr);
        m_fn.DestroyPipelineLayout(m_fn.device, m_layout, nullptr);
    }
    TileProbe(const TileProbe&) = delete;
    TileProbe& operator=(const TileProbe&) = delete;

    std::vector<Made> run(const heightfield::DrawnTiles& drawn, const gpu::GpuTiles& tiles,
                          const std::vector<Vertex>& vertices) {
        using namespace heightfield;
        TilePool pool(m_fn, m_retired, 65535);
        std::vector<TileKey> keys;
        for (const TileNode& node : drawn.nodes)
            keys.push_back(node.key);
        std::vector<std::uint32_t> layers(keys.size());
        EXPECT_TRUE(pool.place(drawn.surface, true, keys, layers));
        std::vector<TileRecord> records = drawn.records;
        for (std::size_t n = 0; n < records.size(); ++n)
            records[n].bits = (records[n].bits & ~0xffffu) | layers[n];

        const std::size_t layerBytes = pool.layerBytes();
        GpuBuffer staging = host(pool.uploads().size() * layerBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
        for (std::size_t i = 0; i < pool.uploads().size(); ++i)
            pool.writeUpload(drawn.pyramid.layout, i, {staging.mapped + i * layerBytes, layerBytes});
        constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        GpuBuffer buffers[4] = {host(records.size() * sizeof(TileRecord), kStorage),
                                host(vertices.size() * sizeof(Vertex), kStorage),
                                host(vertices.size() * sizeof(Made), kStorage),
                                host(sizeof(gpu::GpuTiles), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT)};
        std::memcpy(buffers[0].mapped, records.data(), records.size() * sizeof(TileRecord));
        std::memcpy(buffers[1].mapped, vertices.data(), vertices.size() * sizeof(Vertex));
        std::memcpy(buffers[3].mapped, &tiles, sizeof(tiles));
        VkDescriptorPool sets = VK_NULL_HANDLE;
        const std::array<VkDescriptorSet, 2> bound = makeSets(sets, buffers, pool.view());
        const auto done = app::submitAndWait(m_context, [&](VkCommandBuffer commands) -> Result<void> {
            pool.recordUploads(commands, staging.buffer, 0);
            VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
            memory.srcStageMask = memory.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
            memory.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
            memory.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT;
            VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
            dependency.memoryBarrierCount = 1;
            dependency.pMemoryBarriers = &memory;
            m_fn.CmdPipelineBarrier2(commands, &dependency);
            m_fn.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipeline);
            m_fn.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_layout, 0, 2, bound.data(),
                                       0, nullptr);
            m_fn.CmdDispatch(commands, static_cast<std::uint32_t>((vertices.size() + 63) / 64), 1, 1);
            memory.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
            memory.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
            m_fn.CmdPipelineBarrier2(commands, &dependency);
            return {};
        });
        EXPECT_TRUE(done);
        std::vector<Made> made(vertices.size());
        std::memcpy(made.data(), buffers[2].mapped, made.size() * sizeof(Made));
        m_fn.DestroyDescriptorPool(m_fn.device, sets, nullptr);
        destroyBuffer(m_fn, staging);
        for (GpuBuffer& buffer : buffers)
            destroyBuffer(m_fn, buffer);
        return made;
    }

  private:
    GpuBuffer host(std::size_t bytes, VkBufferUsageFlags usage) {
        return createBuffer(m_fn, "probe", bytes, usage, MemoryKind::HostVisible).value();
    }

    VkDescriptorSetLayout makeLayout(std::span<const VkDescriptorType> types) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        for (const VkDescriptorType type : types) {
            bindings.push_back(
                {static_cast<std::uint32_t>(bindings.size()), type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
        }
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0,
                                             static_cast<std::uint32_t>(bindings.size()), bindings.data()};
        VkDescriptorSetLayout layout = VK_NULL_HANDLE;
        EXPECT_EQ(m_fn.CreateDescriptorSetLayout(m_fn.device, &info, nullptr, &layout), VK_SUCCESS);
        return layout;
    }

    void createPipeline() {
        constexpr std::array kBuffers = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
        constexpr std::array kTiles = {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER};
        m_setLayouts = {makeLayout(kBuffers), makeLayout(kTiles)};
        VkPipelineLayoutCreateInfo layout{
            VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 2, m_setLayouts.data(), 0, nullptr};
        EXPECT_EQ(m_fn.CreatePipelineLayout(m_fn.device, &layout, nullptr, &m_layout), VK_SUCCESS);
        VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0,
                                      kTileProbeCompBytes, kTileProbeComp};
        VkShaderModule module = VK_NULL_HANDLE;
        EXPECT_EQ(m_fn.CreateShaderModule(m_fn.device, &code, nullptr, &module), VK_SUCCESS);
        VkComputePipelineCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = module;
        info.stage.pName = "main";
        info.layout = m_layout;
        EXPECT_EQ(m_fn.CreateComputePipelines(m_fn.device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline),
                  VK_SUCCESS);
        m_fn.DestroyShaderModule(m_fn.device, module, nullptr);
    }

    std::array<VkDescriptorSet, 2> makeSets(VkDescriptorPool& pool, const GpuBuffer (&buffers)[4],
                                            VkImageView layers) {
        const std::array sizes = {VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3},
                                  VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1},
                                  VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}};
        VkDescriptorPoolCreateInfo info{
            VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 2, 3, sizes.data()};
        EXPECT_EQ(m_fn.CreateDescriptorPool(m_fn.device, &info, nullptr, &pool), VK_SUCCESS);
        VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 2,
                                             m_setLayouts.data()};
        std::array<VkDescriptorSet, 2> sets{};
        EXPECT_EQ(m_fn.AllocateDescriptorSets(m_fn.device, &allocate, sets.data()), VK_SUCCESS);
        VkDescriptorBufferInfo infos[4];
        std::vector<VkWriteDescriptorSet> writes;
        for (std::uint32_t b = 0; b < 4; ++b) {
            infos[b] = {buffers[b].buffer, 0, VK_WHOLE_SIZE};
            VkWriteDescriptorSet write{};
            write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
            write.dstSet = b < 3 ? sets[0] : sets[1];
            write.dstBinding = b < 3 ? b : 1;
            write.descriptorCount = 1;
            write.descriptorType =
                b < 3 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
            write.pBufferInfo = &infos[b];
            writes.push_back(write);
        }
        const VkDescriptorImageInfo image{VK_NULL_HANDLE, layers, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        VkWriteDescriptorSet write{};
        write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        write.dstSet = sets[1];
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        write.pImageInfo = &image;
        writes.push_back(write);
        m_fn.UpdateDescriptorSets(m_fn.device, static_cast<std::uint32_t>(writes.size()), writes.data(), 0,
                                  nullptr);
        return sets;
    }

    app::VulkanContext& m_context;
    DeviceFunctions m_fn;
    Retired m_retired;
    std::array<VkDescriptorSetLayout, 2> m_setLayouts{};
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

}  // namespace karst::render
