// Liquid among the objects of a three.js scene: lights, camera and materials are yours, Peel updates one mesh.
import { createLiquidView, createSurfaceObject } from 'peel/web'
import * as THREE from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'

const status = document.getElementById('status')!
const renderer = new THREE.WebGLRenderer({ antialias: true })
renderer.shadowMap.enabled = true
document.body.append(renderer.domElement)

const world = new THREE.Scene()
world.background = new THREE.Color(0x10161f)
const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 20)
camera.position.set(1.7, 1.4, 2.2)
const controls = new OrbitControls(camera, renderer.domElement)
controls.target.set(0.5, 0.4, 0.5)
controls.update()
// Only where something has changed: the cores that draw in software are those that simulate.
const render = () => renderer.render(world, camera)
controls.addEventListener('change', render)

const sun = new THREE.DirectionalLight(0xfff2dd, 3)
sun.position.set(1.5, 3, 1)
sun.target.position.set(0.5, 0, 0.5)
sun.castShadow = true
world.add(sun, sun.target, new THREE.HemisphereLight(0xcfe4ff, 0x8899aa, 2))

const floor = new THREE.Mesh(new THREE.CircleGeometry(2, 64), new THREE.MeshStandardMaterial({ color: 0x5b6470 }))
floor.rotation.x = -Math.PI / 2
floor.position.set(0.5, -0.01, 0.5)
floor.receiveShadow = true
world.add(floor)

const tank = new THREE.LineSegments(
  new THREE.EdgesGeometry(new THREE.BoxGeometry(1, 1, 1)),
  new THREE.LineBasicMaterial({ color: 0x9fb4c8 }),
)
tank.position.set(0.5, 0.5, 0.5)
world.add(tank)

// The same ball twice: the liquid flows around this one, and the next one is seen. It is a little larger, so that the mesh of liquid at its
// surface is inside.
const ball = { centre: [0.65, 0.25, 0.5], radius: 0.15 }
const seen = new THREE.Mesh(
  new THREE.SphereGeometry(1.06 * ball.radius, 48, 32),
  new THREE.MeshStandardMaterial({ color: 0xd9683b, roughness: 0.5 }),
)
seen.position.set(0.65, 0.25, 0.5)
seen.castShadow = true
world.add(seen)

// Coordinates of a scene are metres with y up, as in three.js, so nothing has to be converted.
const water = createSurfaceObject()
water.object.material.color.set(0x2d8fc9)
water.object.castShadow = true
world.add(water.object)

createLiquidView(document.body, {
  scene: {
    version: 1,
    domain: { size: [1, 1, 1], resolution: 40 },
    liquid: [{ shape: 'box', min: [0, 0, 0], max: [0.35, 0.9, 1] }],
    solids: [{ shape: 'sphere', ...ball }],
    time: { fps: 60, frames: 300 },
  },
  draws: false, // there is a renderer already
  onFrame({ frame }) {
    water.update(frame)
    render()
    status.textContent = `${frame.time.toFixed(2)} s`
  },
}).catch(error => {
  status.textContent = error.message
})

function resize(): void {
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
  renderer.setSize(innerWidth, innerHeight)
  camera.aspect = innerWidth / innerHeight
  camera.updateProjectionMatrix()
  render()
}
addEventListener('resize', resize)
resize()
