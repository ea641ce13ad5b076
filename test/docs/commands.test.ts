// Every command and every piece of code in the documents is run, so that no reader is the first to try it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project, temporaryFolder } from '../setup/working-copy.js'
import { extractCommands } from './blocks.js'
import { buildExamples, findDocuments, objection, openShell, type Prepared, prepare } from './runner.js'

const LIMIT = 30 * 60_000

const documents = findDocuments(project)
const temporary = temporaryFolder()
let prepared: Prepared
let examples: Awaited<ReturnType<typeof buildExamples>>

beforeAll(async () => {
  prepared = await prepare(temporary.folder)
  examples = await buildExamples(prepared, documents)
}, LIMIT)
// A copy of node_modules and all that the commands wrote: removing it takes more than a minute on a busy disk.
afterAll(() => temporary.dispose(), LIMIT)

it('the examples in the documents have the right types', () => {
  expect(examples.errors).toBe('')
})

for (const document of documents)
  describe(document.name, () => {
    let shell: ReturnType<typeof openShell>
    beforeAll(() => {
      shell = openShell(prepared, document)
    })

    it('says of every block what it is', () => {
      expect(document.blocks.map(objection).filter(Boolean)).toEqual([])
    })

    for (const block of document.blocks) {
      if (block.language === 'sh') {
        for (const command of extractCommands(block))
          it(`line ${command.line}: ${command.text}`, () => shell.command(command), LIMIT)
      }
      // Those for pages are run in a browser, by test/web.
      if (block.language === 'ts' && !block.onPage)
        it(`line ${block.line}: the example runs`, () => shell.example(examples.built(document, block)), LIMIT)
    }
  })
