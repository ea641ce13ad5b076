/** A writer of a run that refuses to be used after it was closed: the run may belong to another writer by then. */
import { checkObject } from '../../checks.js'
import { InputError } from '../../input-error.js'
import { checkFrame } from '../../liquid/frame.js'
import { checkCheckpoint, checkJsonObject } from '../formats/checks.js'
import type { KeptMoment, RunWriter } from './writer.js'

export function guardWriter(writer: RunWriter): RunWriter {
  let closing: Promise<void> | undefined
  return {
    path: writer.path,
    manifest: () => writer.manifest(),
    async keep(moment) {
      if (closing) throw new InputError(`${writer.path}: the run was closed, so no further frame can be kept; open it again.`)
      checkMoment(moment)
      return writer.keep(moment)
    },
    close() {
      closing ??= writer.close()
      return closing
    },
  }
}

function checkMoment(moment: KeptMoment): void {
  checkObject(moment, 'What is to be kept', 'an object with frame and stats')
  checkFrame(moment.frame, 'The frame to be kept')
  checkJsonObject(moment.stats, 'The stats to be kept')
  if (moment.checkpoint !== undefined) checkCheckpoint(moment.checkpoint, 'The checkpoint to be kept')
}
