# Blender as a contender: bakes a scene with one box of liquid in a closed box and prints one line of JSON.
# Run inside Blender; the one argument after "--" is JSON, written by run.mjs: metres, seconds, z up.
import array
import json
import os
import resource
import sys
import time

import bpy

wanted = json.loads(sys.argv[sys.argv.index('--') + 1])
cells, frames, size = wanted['cells'], wanted['frames'], wanted['size']
spacing = size / cells


def add_box(name, low, high):
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    mesh.update()
    box = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(box)
    return box


scene = bpy.context.scene
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
scene.gravity = wanted['gravity']
scene.render.fps = wanted['fps']

# The outermost cells of a closed domain are its walls: one more on every side leaves as many for the liquid as were asked for.
domain = add_box('domain', (-spacing,) * 3, (size + spacing,) * 3)
bpy.context.view_layer.objects.active = domain
modifier = domain.modifiers.new('fluid', 'FLUID')
modifier.fluid_type = 'DOMAIN'
settings = modifier.domain_settings
settings.domain_type = 'LIQUID'
settings.resolution_max = cells + 2
settings.use_mesh = False
settings.cfl_condition = wanted['cfl']
settings.use_adaptive_timesteps = True
settings.timesteps_min = wanted['minSubsteps']
settings.timesteps_max = wanted['maxSubsteps']
settings.flip_ratio = wanted['flipRatio']
settings.particle_number = wanted['particlesPerEdge']
settings.particle_band_width = wanted['band']
# Blender's 1 moves a particle by up to a whole particle's share of the cell to either side.
settings.particle_randomness = wanted['jitter'] / 2
settings.cache_directory = wanted['cache']
settings.cache_type = 'MODULAR'
# Its first frame is the start: liquid that is new is not moved yet. So as many frames again follow it.
settings.cache_frame_start = 1
settings.cache_frame_end = frames + 1
scene.frame_start, scene.frame_end = 1, frames + 1

# Where the liquid touches a wall, its mesh goes on into it.
low = [-spacing if x <= 0 else x for x in wanted['low']]
high = [size + spacing if x >= size else x for x in wanted['high']]
flow = add_box('liquid', low, high).modifiers.new('fluid', 'FLUID')
flow.fluid_type = 'FLOW'
flow.flow_settings.flow_type = 'LIQUID'
flow.flow_settings.flow_behavior = 'GEOMETRY'
flow.flow_settings.surface_distance = 0

stamps = []


def stamp(*_):
    used = os.times()
    stamps.append((scene.frame_current, time.time(), used.user + used.system))


# While it bakes, Blender calls this when a frame is simulated and written.
bpy.app.handlers.frame_change_post.append(stamp)
if bpy.ops.fluid.bake_data() != {'FINISHED'}:
    raise RuntimeError('Blender did not finish its bake')
bpy.app.handlers.frame_change_post.remove(stamp)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6

first = next((moment for moment in stamps if moment[0] == 1), None)
last = next((moment for moment in stamps if moment[0] == frames + 1), None)
if first is None or last is None:
    raise RuntimeError(f'Blender baked no frame {frames + 1}')

scene.frame_set(frames + 1)
particles = domain.evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0].particles
positions = array.array('f', bytes(12 * len(particles)))
particles.foreach_get('location', positions)
# The highest particle of every row of cells along the wall, as peel.mjs has it.
tops = [0.0] * cells
for at in range(0, len(positions), 3):
    if positions[at] < 2 * spacing:
        row = min(cells - 1, max(0, int(positions[at + 1] / spacing)))
        tops[row] = max(tops[row], positions[at + 2])

print(
    json.dumps(
        {
            'ready': first[1],
            'wall': (last[1] - first[1]) / frames,
            'cpu': (last[2] - first[2]) / frames,
            'substeps': None,
            'particles': len(particles),
            'height': sum(tops) / cells,
            'peakMb': peak,
        }
    ),
    flush=True,
)
