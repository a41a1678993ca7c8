#include <karst/heightfield_mesh/node_binding.h>

namespace karst::heightfield {

Result<void> NodeBindings::bind(std::uint64_t entity, std::shared_ptr<HeightRaster> raster, NodeMesh mesh,
                                std::unique_ptr<NodeMeshTarget> target) {
    const auto number = static_cast<unsigned long long>(entity);
    if (raster == nullptr || target == nullptr) {
        return makeError(ErrorCode::InvalidArgument, "node binding: entity %llu was given no %s", number,
                         raster == nullptr ? "raster" : "target");
    }
    if (target->vertices().size() < mesh.vertexWords() ||
        target->indices().size() < mesh.pool().indexCapacity()) {
        return makeError(ErrorCode::InvalidArgument,
                         "node binding: entity %llu: the target's %zu words and %zu indices do not hold the "
                         "pool's %zu and "
                         "%zu",
                         number, target->vertices().size(), target->indices().size(), mesh.vertexWords(),
                         mesh.pool().indexCapacity());
    }
    m_bindings.insert_or_assign(entity, Binding{std::move(raster), std::move(mesh), std::move(target)});
    return {};
}

NodeBindings::Binding* NodeBindings::find(std::uint64_t entity) {
    const auto found = m_bindings.find(entity);
    return found == m_bindings.end() ? nullptr : &found->second;
}

bool NodeBindings::unbind(std::uint64_t entity) {
    return m_bindings.erase(entity) > 0;
}

Result<NodePoolUpdate> NodeBindings::followCamera(std::uint64_t entity, const WorldPosition& camera) {
    Binding* binding = find(entity);
    if (binding == nullptr) {
        return makeError(ErrorCode::NotFound, "node binding: entity %llu is not bound",
                         static_cast<unsigned long long>(entity));
    }
    Result<NodePoolUpdate> update = binding->mesh.update(
        *binding->raster, camera, binding->target->vertices(), binding->target->indices());
    if (update && update->changed) binding->target->written(binding->mesh.pool(), *update);
    return update;
}

}  // namespace karst::heightfield
