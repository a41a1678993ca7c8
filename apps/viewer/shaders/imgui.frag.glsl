#version 450
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 texel;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 outColor;

void main() {
    outColor = color * texture(image, texel);
}
