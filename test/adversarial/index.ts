/** What bench/adversarial.mjs uses. */
export { attack, joinOutcomes } from './attack.js'
export { CONFIGURATIONS } from './configurations.js'
export { byClass, bySolver, describeIncident } from './tables.js'
