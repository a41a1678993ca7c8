#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#define KARST_WATER_GROUND
#include "gpu_types.h"
#include "voxel_types.h"
#include "water_surface.inc.glsl"
