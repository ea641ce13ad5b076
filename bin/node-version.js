// Plain enough for Node 6, so that an old Node gets a sentence and not a syntax error.
const OLDEST = 20

/** The sentence to show when this version of Node is too old for Peel, or an empty string. */
exports.tooOld = version => {
  const number = String(version).replace(/^v/, '')
  if (parseInt(number, 10) >= OLDEST) return ''
  return `Peel needs Node ${OLDEST} or newer and this is Node ${number}: install a newer one from https://nodejs.org and run the command again.`
}
