#version 460
#extension GL_GOOGLE_include_directive : require
#define KARST_GBUFFER
#include "gpu_types.h"
#include "voxel_types.h"
#include "water_surface.inc.glsl"
