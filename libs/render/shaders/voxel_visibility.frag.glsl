#version 460
#extension GL_GOOGLE_include_directive : require
#include "visibility.inc.glsl"

layout(location = 0) flat in uint inTriangle;
layout(location = 0) out uint outVisible;

void main() {
    outVisible = inTriangle | VISIBLE_VOXELS;
}
