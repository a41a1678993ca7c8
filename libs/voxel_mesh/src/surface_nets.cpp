#include <karst/voxel_mesh/surface_nets.h>
