#version 450
// Panels: positions in pixels, colours sRGB-encoded, as the target holds them.
layout(push_constant) uniform Push {
    vec2 scale;
    vec2 offset;
} push;

layout(location = 0) in vec2 position;
layout(location = 1) in vec2 texel;
layout(location = 2) in vec4 color;
layout(location = 0) out vec2 outTexel;
layout(location = 1) out vec4 outColor;

void main() {
    outTexel = texel;
    outColor = color;
    gl_Position = vec4(position * push.scale + push.offset, 0.0, 1.0);
}
