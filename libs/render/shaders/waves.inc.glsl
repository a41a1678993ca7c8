// Waves of the drawn water: four sines whose crests repeat after one period of the scene, so that the CPU can
// hold the origin to it. Deep water: the speed follows from the length.

const vec2 kWaveVectors[4] = vec2[4](vec2(8.0, 1.0), vec2(5.0, 7.0), vec2(-11.0, 9.0), vec2(14.0, -17.0));
const float kWaveParts[4] = float[4](0.5, 0.25, 0.15, 0.1);

// Height in x, its slope along x and z in yz; `place` is x and z in the waves' period.
vec3 waveAt(vec2 place, vec4 waves, float time) {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        vec2 k = kWaveVectors[i] * waves.y;
        float phase = dot(k, place) - sqrt(waves.z * length(k)) * waves.w * time;
        sum += waves.x * kWaveParts[i] * vec3(sin(phase), k * cos(phase));
    }
    return sum;
}
