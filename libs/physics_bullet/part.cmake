# Bullet's own flags (single or double precision) come with the imported target.
find_package(Bullet REQUIRED MODULE)
if(NOT TARGET karst_bullet)
    add_library(karst_bullet INTERFACE)
    target_include_directories(karst_bullet SYSTEM INTERFACE ${BULLET_INCLUDE_DIRS})
    target_link_libraries(karst_bullet INTERFACE BulletDynamics BulletCollision LinearMath)
endif()
karst_library(physics_bullet HEADER_ONLY
    DEPENDS physics
    THIRD_PARTY_PUBLIC karst_bullet)
