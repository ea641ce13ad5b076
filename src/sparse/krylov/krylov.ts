/** The Krylov methods by name: this table is the list. */
import { bicgstab } from './bicgstab.js'
import { cg } from './cg.js'
import { cr } from './cr.js'
import { gmres } from './gmres.js'
import type { KrylovMethod } from './method.js'

export const krylov = { cg, cr, gmres, bicgstab } satisfies Readonly<Record<string, KrylovMethod>>

export type KrylovName = keyof typeof krylov
export const KRYLOV_METHODS = Object.keys(krylov) as readonly KrylovName[]
