#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#define KARST_GBUFFER
#include "gpu_types.h"
#include "tile_surface.inc.glsl"
