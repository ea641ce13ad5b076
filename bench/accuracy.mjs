// Orders of accuracy of pressure and velocity against manufactured solutions: the tables of docs/accuracy.md, on the build of this checkout.
// `node bench/accuracy.mjs [2|3]`: only in 2D, which takes seconds, or only in 3D, which takes a minute.
import { loadTypeScript } from './load-typescript.mjs'

const { measureOrders } = await loadTypeScript('bench/accuracy/table.ts')

const [asked] = process.argv.slice(2)
if (asked !== undefined && asked !== '2' && asked !== '3') {
  console.error(`Expected 2 or 3 dimensions, not "${asked}".`)
  process.exit(1)
}
for (const dims of asked ? [Number(asked)] : [2, 3]) console.log(`${await measureOrders(dims)}\n`)
