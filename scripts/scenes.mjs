// Writes what is made from code beside the scenes: the JSON Schema for editors, the reference and the costs in docs/scenes.md, and the bowl.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openSection } from '../dist/io/index.js'
import { formatCosts } from '../dist/scene/estimate.js'
import { formatReference } from '../dist/scene/schema/reference.js'
import { sceneJsonSchema } from '../dist/scene/schema.js'

const file = name => new URL(`../${name}`, import.meta.url)

writeFileSync(file('scenes/scene.schema.json'), `${JSON.stringify(sceneJsonSchema(), null, 2)}\n`)
writeFileSync(file('scenes/bowl.obj'), bowl({ thickness: 0.2, around: 48, rings: 12 }))
const document = fileURLToPath(file('docs/scenes.md'))
await (await openSection(document, 'reference')).write(formatReference())
await (await openSection(document, 'costs')).write(formatCosts())

/** The lower half of a hollow sphere of radius 1 about the origin, with a flat rim: closed, all triangles seen from outside. */
function bowl({ thickness, around, rings }) {
  const arc = radius =>
    Array.from({ length: rings }, (_, ring) => {
      const angle = (0.5 * Math.PI * (ring + 1)) / rings
      return [radius * Math.sin(angle), -radius * Math.cos(angle)]
    })
  // From the lowest point outside to the rim, and back inside.
  const profile = [...arc(1), ...arc(1 - thickness).reverse()]
  const points = profile.flatMap(([radius, y]) =>
    Array.from({ length: around }, (_, at) => {
      const angle = (2 * Math.PI * at) / around
      return [radius * Math.cos(angle), y, radius * Math.sin(angle)]
    }),
  )
  const [below, above] = [points.length, points.length + 1]
  points.push([0, -1, 0], [0, thickness - 1, 0])
  const faces = []
  const vertex = (ring, at) => ring * around + (at % around)
  for (let at = 0; at < around; at++) {
    faces.push([below, vertex(0, at), vertex(0, at + 1)])
    for (let ring = 0; ring < profile.length - 1; ring++) {
      const [a, b, c, d] = [vertex(ring, at), vertex(ring, at + 1), vertex(ring + 1, at + 1), vertex(ring + 1, at)]
      faces.push([a, c, b], [a, d, c])
    }
    faces.push([above, vertex(profile.length - 1, at + 1), vertex(profile.length - 1, at)])
  }
  const digits = value => String(Number(value.toFixed(6)))
  return [
    '# A bowl: half of a hollow sphere of radius 1 about the origin, open at the top.',
    ...points.map(point => `v ${point.map(digits).join(' ')}`),
    ...faces.map(face => `f ${face.map(at => at + 1).join(' ')}`),
    '',
  ].join('\n')
}
