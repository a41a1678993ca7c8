#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"
#include "mesh_surface.inc.glsl"
