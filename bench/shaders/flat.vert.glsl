#version 460

layout(location = 0) in vec4 inClip;

void main() {
    gl_Position = inClip;
}
