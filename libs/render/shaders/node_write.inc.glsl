// What the writers of the node mesh read: tables that the CPU makes for each node, and the raster.

layout(set = 0, binding = 0, std430) readonly buffer HeightBlock { float heights[]; };
layout(set = 0, binding = 1, std430) readonly buffer HoleBlock { uint holes[]; };
layout(set = 0, binding = 2, std430) readonly buffer TableBlock { uint table[]; };

layout(push_constant) uniform PushBlock { GpuNodeWrite push; };
