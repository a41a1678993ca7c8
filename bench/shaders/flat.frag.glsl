#version 460

layout(location = 0) out vec4 outColor;

void main() {
    outColor = vec4(0.25, 0.5, 0.125, 1.0);
}
