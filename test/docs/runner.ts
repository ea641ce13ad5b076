// Runs what documents tell their readers to run, in folders made for it.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { copyProject, fakeNpm, type Outcome, run, write } from '../setup/working-copy.js'
import { type Block, type Command, cloneAddress, extractBlocks, extractCommands } from './blocks.js'

export interface Document {
  name: string
  blocks: Block[]
}

const LANGUAGES = ['sh', 'ts', 'json', 'text']
const SMALL_TEST = 'test/docs/blocks.test.ts'
const COMMAND_LIMIT = 10 * 60_000

const TYPES = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    lib: ['ES2023', 'DOM'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    outDir: 'built',
    rootDir: '.',
  },
  include: ['*.ts'],
}

export function findDocuments(root: string): Document[] {
  const top = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
  const inDocs = fs.existsSync(path.join(root, 'docs')) ? fs.readdirSync(path.join(root, 'docs'), { recursive: true }) : []
  const names = [...top, ...inDocs.map(name => `docs/${String(name).replaceAll('\\', '/')}`).sort()]
  return names
    .filter(name => name.endsWith('.md') && fs.existsSync(path.join(root, name)))
    .map(name => ({ name, blocks: extractBlocks(fs.readFileSync(path.join(root, name), 'utf8')) }))
}

/** What is wrong with a block by its looks, or an empty string. */
export function objection(block: Block): string {
  if (!LANGUAGES.includes(block.language)) {
    return `line ${block.line}: say what it is: a block is one of ${LANGUAGES.join(', ')}, not "${block.language}"`
  }
  if (block.language !== 'json') return ''
  try {
    JSON.parse(block.code)
    return ''
  } catch (error) {
    return `line ${block.line}: ${(error as Error).message}`
  }
}

/**
 * `base` is a copy of the project, set up. Every document gets a copy of it, and `git clone` copies it too, so both
 * hold the changes that are not committed yet. Installing is answered from this checkout and needs no network.
 */
export async function prepare(folder: string, copy: (to: string) => void = copyProject) {
  const base = path.join(folder, 'base')
  copy(base)
  const { env } = fakeNpm(folder, 'link')
  const setUp = await run(process.execPath, [path.join(base, 'scripts/setup.mjs')], { cwd: base, env })
  if (setUp.code !== 0) throw new Error(`set-up failed in a copy of the project:\n${setUp.stderr}`)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: base, env, stdio: 'pipe' })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git(
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.org',
    'commit',
    '--quiet',
    '--no-gpg-sign',
    '-m',
    'The project as it is',
  )
  return { folder, base, env: { ...env, PEEL_TEST_FILES: SMALL_TEST } }
}

export type Prepared = Awaited<ReturnType<typeof prepare>>

/** The place where one document is followed from top to bottom: a reader keeps his folder and his variables. */
export function openShell({ folder, base, env }: Prepared, document: Document) {
  const place = path.join(folder, 'documents', document.name.replace(/\W+/g, '-'))
  const state = path.join(folder, 'documents', `${document.name.replace(/\W+/g, '-')}.state`)
  const all = document.blocks.filter(block => block.language === 'sh').flatMap(extractCommands)
  // Who is told to clone first has nothing yet; everybody else stands in a checkout.
  if (all.length > 0 && cloneAddress(all[0].text)) fs.mkdirSync(place, { recursive: true })
  else fs.cpSync(base, place, { recursive: true, verbatimSymlinks: true })
  write(state, `cd '${place}'\n`)

  const bash = (script: string) => {
    const text = `source "$PEEL_STATE"\ntrap '{ export -p; printf "cd %q\\n" "$PWD"; } >"$PEEL_STATE"' EXIT\n${script}\n`
    return run('bash', ['-o', 'pipefail', '-c', text], { cwd: place, env: { ...env, PEEL_STATE: state }, timeout: COMMAND_LIMIT })
  }
  return {
    /** Throws with the command and all it printed when it does not end as the document says. */
    async command({ text, exitCode, line }: Command) {
      const outcome = await bash(withLocalClone(text, folder, base))
      const said = exitCode === 0 ? '' : ` where the document says ${exitCode}`
      if (outcome.code !== exitCode) throw new Error(`line ${line}: ${text}\nended${said} with ${describe(outcome)}`)
      return outcome
    },
    async example(file: string) {
      const outcome = await bash(`node '${file}'`)
      if (outcome.code !== 0) throw new Error(`the example ended with ${describe(outcome)}`)
      return outcome
    },
  }
}

const describe = ({ code, signal, stdout, stderr }: Outcome) => `${code ?? signal}:\n${stdout}${stderr}`

/** Clones the copy in place of the address, under the same last name, since git calls the new folder after it. */
function withLocalClone(text: string, folder: string, base: string) {
  const address = cloneAddress(text)
  if (!address) return text
  const name = /([\w.-]+?)(\.git)?\/?["'>]?$/.exec(address)?.[1] ?? 'peel'
  const local = path.join(folder, 'addresses', name)
  fs.mkdirSync(path.dirname(local), { recursive: true })
  if (!fs.existsSync(local)) fs.symlinkSync(base, local)
  return text.replace(address, () => `'${local}'`)
}

/** Type-checks and builds all examples with one call; `built` tells where the JavaScript of an example is. */
export async function buildExamples({ folder: parent, base, env }: Prepared, documents: Document[]) {
  // Inside a checkout, where the name of the package leads to it.
  const checkout = fs.mkdtempSync(path.join(parent, 'examples-'))
  fs.cpSync(base, checkout, { recursive: true, verbatimSymlinks: true })
  const folder = path.join(checkout, 'examples-of-docs')
  const name = (document: Document, block: Block) => `${document.name.replace(/\W+/g, '-')}-line-${block.line}`
  for (const document of documents) {
    for (const block of document.blocks.filter(({ language }) => language === 'ts')) {
      // Without an export a file counts as a script, where names clash with other files and await is forbidden.
      write(path.join(folder, `${name(document, block)}.ts`), `${block.code}\nexport {}\n`)
    }
  }
  write(path.join(folder, 'tsconfig.json'), JSON.stringify(TYPES))
  const tsc = path.join(checkout, 'node_modules/typescript/bin/tsc')
  const outcome = fs.readdirSync(folder).some(file => file.endsWith('.ts'))
    ? await run(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder, env })
    : { code: 0, stdout: '' }
  return {
    errors: outcome.code === 0 ? '' : outcome.stdout,
    built: (document: Document, block: Block) => path.join(folder, 'built', `${name(document, block)}.js`),
  }
}
