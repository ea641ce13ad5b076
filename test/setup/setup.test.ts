import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { explain, explainBuild, explainInstall, SetUpError } from '../../scripts/explain.mjs'
import { checkNode } from '../../scripts/setup.mjs'
import { cleanEnvironment, copyWithSmallSource, fakeNpm, project, run, start, temporaryFolder, write } from './working-copy.js'

let temporary: ReturnType<typeof temporaryFolder>
let root: string

function inFreshClones() {
  beforeEach(() => {
    temporary = temporaryFolder()
    root = path.join(temporary.folder, 'peel')
    copyWithSmallSource(root)
  })
  afterEach(() => temporary.dispose())
}

const at = (...names: string[]) => path.join(root, ...names)
const npm = (behaviour: Parameters<typeof fakeNpm>[1] = 'link') => fakeNpm(temporary.folder, behaviour)
const setUp = (env: NodeJS.ProcessEnv) => run(process.execPath, [at('scripts/setup.mjs')], { cwd: root, env })
const peel = (env: NodeJS.ProcessEnv, ...args: string[]) => run(process.execPath, [at('bin/peel'), ...args], { cwd: root, env })
const locks = () => fs.readdirSync(at('.setup')).filter(name => name === 'lock')
const sentences = (stderr: string) => stderr.split('\n').filter(line => line && !line.endsWith('…'))
/** Long set-ups are told apart from finished ones by a file they leave, never by time. */
async function until(condition: () => boolean) {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 20))
}

describe('set-up', () => {
  inFreshClones()

  it('installs and builds in a fresh clone, saying so on stderr only', async () => {
    const { env, calls } = npm()
    const first = await setUp(env)
    expect(first).toMatchObject({ code: 0, stdout: '' })
    expect(first.stderr).toMatch(/^peel: installing .*\(npm ci\) … \d+\.\d s\npeel: building \(tsc\) … \d+\.\d s\n$/)
    expect(calls()).toMatchObject([{ cwd: root, args: expect.arrayContaining(['ci', '--include=dev']) }])
    expect(fs.existsSync(at('dist/cli/main.js'))).toBe(true)
    expect(fs.readdirSync(root).filter(name => name.endsWith('.tmp'))).toEqual([])
    const map = JSON.parse(fs.readFileSync(at('dist/cli/main.js.map'), 'utf8'))
    expect(fs.existsSync(path.resolve(at('dist/cli'), map.sources[0]))).toBe(true)
  })

  it('lets examples find Peel by its name, also in a copy of the clone', async () => {
    write(at('examples/1/package.json'), '{ "type": "module", "dependencies": { "peel": "file:../.." } }')
    write(at('examples/1/main.mjs'), "import { answer } from 'peel'\nconsole.log(answer)\n")
    const { env } = npm()
    for (let n = 0; n < 2; n++) expect((await setUp(env)).code).toBe(0)
    const copy = path.join(temporary.folder, 'copy')
    fs.cpSync(root, copy, { recursive: true, verbatimSymlinks: true })
    for (const folder of [root, copy])
      expect(await run(process.execPath, [path.join(folder, 'examples/1/main.mjs')], { cwd: folder, env })).toMatchObject({
        code: 0,
        stdout: '42\n',
      })
    // Each its own.
    expect(fs.realpathSync(path.join(copy, 'examples/node_modules/peel'))).toBe(copy)
  })

  it('does nothing, silently and at once, when all is current', async () => {
    const { env, calls } = npm()
    await setUp(env)
    const built = fs.statSync(at('dist')).ino
    fs.rmSync(at('.setup'), { recursive: true })
    // The best of a few, because the machine may be busy with other tests.
    let extra = Infinity
    for (let i = 0; i < 4; i++) {
      const bare = await run(process.execPath, ['-e', ''], { cwd: root, env })
      const again = await setUp(env)
      expect(again).toMatchObject({ code: 0, stdout: '', stderr: '' })
      extra = Math.min(extra, again.seconds - bare.seconds)
    }
    expect(extra).toBeLessThan(0.2)
    expect(calls()).toHaveLength(1)
    expect(fs.statSync(at('dist')).ino).toBe(built)
    // Not even the lock is taken, so a folder that is current may be read-only.
    expect(fs.existsSync(at('.setup'))).toBe(false)
  })

  it('builds, and only builds, when the source changed', async () => {
    const { env, calls } = npm()
    await setUp(env)
    write(at('src/index.ts'), 'export const answer: number = 43\n')
    fs.writeFileSync(at('dist/left-over.js'), '')
    const second = await setUp(env)
    expect(second.stderr).toMatch(/^peel: building \(tsc\) … \d+\.\d s\n$/)
    expect(fs.readFileSync(at('dist/index.js'), 'utf8')).toContain('43')
    expect(fs.existsSync(at('dist/left-over.js'))).toBe(false)
    expect(calls()).toHaveLength(1)

    fs.rmSync(at('src/index.ts'))
    write(at('src/cli/main.ts'), 'export const main = async (): Promise<number> => 0\n')
    await setUp(env)
    expect(fs.existsSync(at('dist/index.js'))).toBe(false)
  })

  it('takes no notice of times, only of contents', async () => {
    const { env } = npm()
    await setUp(env)
    fs.utimesSync(at('src/index.ts'), new Date(), new Date(2040, 1, 1))
    expect((await setUp(env)).stderr).toBe('')
  })

  it('installs when the lock or the wanted packages changed, but not for another script', async () => {
    const { env, calls } = npm()
    await setUp(env)
    const manifest = JSON.parse(fs.readFileSync(at('package.json'), 'utf8'))
    manifest.scripts.other = 'true'
    write(at('package.json'), JSON.stringify(manifest))
    await setUp(env)
    expect(calls()).toHaveLength(1)
    manifest.devDependencies.other = '1.0.0'
    write(at('package.json'), JSON.stringify(manifest))
    expect((await setUp(env)).stderr).toContain('npm ci')
    expect(calls()).toHaveLength(2)
    fs.appendFileSync(at('package-lock.json'), '\n')
    expect((await setUp(env)).stderr).toContain('npm ci')
    expect(calls()).toHaveLength(3)
    expect((await setUp(env)).stderr).toBe('')
  })

  it('accepts an install made by hand if it is complete', async () => {
    const { env, calls } = npm()
    await run('npm', ['ci'], { cwd: root, env })
    const hidden = { packages: JSON.parse(fs.readFileSync(at('package-lock.json'), 'utf8')).packages }
    write(at('node_modules/.package-lock.json'), JSON.stringify(hidden))
    expect((await setUp(env)).stderr).not.toContain('npm ci')
    expect(calls()).toHaveLength(1)

    fs.rmSync(at('node_modules/.peel-setup'))
    delete hidden.packages['node_modules/typescript']
    write(at('node_modules/.package-lock.json'), JSON.stringify(hidden))
    expect((await setUp(env)).stderr).toContain('npm ci')
  })

  it('installs what the build needs even where npm is told to omit it', async () => {
    const { env, calls } = npm()
    expect(await setUp({ ...env, NODE_ENV: 'production', npm_config_omit: 'dev' })).toMatchObject({ code: 0 })
    expect(calls()[0].args).toContain('--include=dev')
  })
})

describe('set-up that cannot finish', () => {
  inFreshClones()

  it('says in one sentence that there is no network, and starts over', async () => {
    const failed = await setUp(npm('offline').env)
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(sentences(failed.stderr)).toEqual([expect.stringMatching(/^peel: no network: .*\.$/)])
    expect(await setUp(npm().env)).toMatchObject({ code: 0 })
  })

  it('says in one sentence that npm is missing', async () => {
    const failed = await setUp(cleanEnvironment({ PATH: temporary.folder }))
    expect(failed.code).toBe(1)
    expect(sentences(failed.stderr)).toEqual([expect.stringMatching(/^peel: npm was not found: .*\.$/)])
  })

  it('shows type errors, leaves the last build unused and recovers', async () => {
    const { env } = npm()
    await setUp(env)
    write(at('src/index.ts'), "export const answer: number = 'forty-two'\n")
    for (const failed of [await setUp(env), await peel(env, 'solve')]) {
      expect(failed).toMatchObject({ code: 1, stdout: '' })
      expect(failed.stderr).toMatch(/src\/index\.ts.*error TS2322/)
      expect(failed.stderr).toMatch(/\npeel: the source has type errors, listed above; nothing was built\.\n$/)
    }
    expect(fs.existsSync(at('dist.tmp'))).toBe(false)
    write(at('src/index.ts'), 'export const answer: number = 1\n')
    expect(JSON.parse((await peel(env, 'solve')).stdout)).toMatchObject({ answer: 1 })
  })

  it.runIf(process.getuid?.() !== 0)('says in one sentence that the folder is read-only', async () => {
    fs.chmodSync(root, 0o555)
    const failed = await setUp(npm().env)
    fs.chmodSync(root, 0o755)
    expect(failed.code).toBe(1)
    expect(sentences(failed.stderr)).toEqual([expect.stringMatching(/^peel: cannot write in .*\.$/)])
  })

  it('fails in one sentence when the place of its own folder is taken by a file', async () => {
    write(at('.setup'), '')
    const failed = await setUp(npm().env)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(/peel: set-up failed; the error is above\.\n$/)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('stops npm on %s, ends by that signal and starts over cleanly', async signal => {
    const { env, calls } = npm('half')
    const { child, outcome } = start(process.execPath, [at('scripts/setup.mjs')], { cwd: root, env })
    await until(() => fs.existsSync(at('node_modules/half')))
    child.kill(signal)
    const interrupted = await outcome
    expect(interrupted.signal).toBe(signal)
    expect(interrupted.stderr).toMatch(/\npeel: set-up was interrupted; the next run starts it over\.\n$/)
    expect(() => process.kill(calls()[0].pid, 0)).toThrow()
    expect(locks()).toEqual([])
    const next = await setUp(npm().env)
    expect(next.code).toBe(0)
    expect(next.stderr).not.toContain('waiting')
    expect(fs.existsSync(at('node_modules/half'))).toBe(false)
  })

  it('takes over from a killed set-up, but only after the npm it left behind has ended', async () => {
    const half = npm('half')
    const { child, outcome } = start(process.execPath, [at('scripts/setup.mjs')], { cwd: root, env: half.env })
    await until(() => fs.existsSync(at('node_modules/half')))
    child.kill('SIGKILL')
    await until(() => child.signalCode !== null)
    const good = npm()
    const next = start(process.execPath, [at('scripts/setup.mjs')], { cwd: root, env: good.env })
    let stderr = ''
    next.child.stderr.on('data', data => {
      stderr += data
    })
    await until(() => stderr.includes('waiting'))
    expect(good.calls()).toEqual([])
    process.kill(half.calls()[0].pid, 'SIGKILL')
    expect(await next.outcome).toMatchObject({ code: 0 })
    await outcome
    expect(good.calls()).toHaveLength(1)
    expect(fs.existsSync(at('node_modules/half'))).toBe(false)
    expect(locks()).toEqual([])
  })

  it('never uses a build that was interrupted', async () => {
    const { env } = npm()
    write(at('dist.tmp/cli/main.js'), 'throw new Error("half a build")')
    write(at('dist/cli/main.js'), 'throw new Error("a build without a stamp")')
    expect(await peel(env)).toMatchObject({ code: 0 })
    expect(fs.existsSync(at('dist.tmp'))).toBe(false)
  })
})

describe('set-ups started at once', () => {
  inFreshClones()

  it('install and build once and all succeed', async () => {
    const { env, calls } = npm('slow')
    const all = await Promise.all([setUp(env), setUp(env), peel(env, 'solve')])
    expect(all.map(one => one.code)).toEqual([0, 0, 0])
    expect(calls()).toHaveLength(1)
    const printed = all.map(one => one.stderr).join('')
    expect(printed.match(/building/g)).toHaveLength(1)
    expect(printed.match(/peel: another set-up is at work in this folder \(process \d+\), waiting … \d+\.\d s\n/g)).toHaveLength(
      2,
    )
    expect(JSON.parse(all[2].stdout)).toMatchObject({ argv: ['solve'] })
    expect(locks()).toEqual([])
  })

  it('take over the lock of a process that is gone, one of them only', async () => {
    const gone = start(process.execPath, ['-e', ''], { cwd: root })
    await gone.outcome
    const hostname = (await import('node:os')).hostname()
    write(at('.setup/lock/owner.json'), JSON.stringify({ token: 'gone', pid: gone.child.pid, host: hostname }))
    const { env, calls } = npm('slow')
    const all = await Promise.all([setUp(env), setUp(env), setUp(env)])
    expect(all.map(one => one.code)).toEqual([0, 0, 0])
    expect(calls()).toHaveLength(1)
  })

  it('are not stopped for ever by a lock that cannot be read', async () => {
    write(at('.setup/lock/owner.json'), '')
    expect(await setUp(npm().env)).toMatchObject({ code: 0 })
  })
})

describe('bin/peel', () => {
  inFreshClones()

  it('sets up by itself and keeps stdout, exit code and working directory for the program', async () => {
    const { env } = npm()
    const elsewhere = path.join(temporary.folder, 'elsewhere')
    fs.mkdirSync(elsewhere)
    fs.symlinkSync(at('bin/peel'), path.join(elsewhere, 'peel'))
    const outcome = await run('./peel', ['solve', '--json'], { cwd: elsewhere, env })
    expect(outcome.code).toBe(0)
    expect(JSON.parse(outcome.stdout)).toEqual({ argv: ['solve', '--json'], answer: 42, cwd: elsewhere })
    expect(outcome.stderr).toContain('peel: building')
    expect(await peel(env, 'fail')).toMatchObject({ code: 2, stderr: '' })
  })

  it('skips set-up in a published package', async () => {
    const { env, calls } = npm()
    await setUp(env)
    const published = path.join(temporary.folder, 'published')
    for (const part of ['package.json', 'bin', 'dist']) fs.cpSync(at(part), path.join(published, part), { recursive: true })
    const outcome = await run(path.join(published, 'bin/peel'), ['solve'], { cwd: temporary.folder, env })
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(outcome.stdout)).toMatchObject({ argv: ['solve'] })
    expect(calls()).toHaveLength(1)
  })

  it('is executable', () => {
    expect(fs.statSync(path.join(project, 'bin/peel')).mode & 0o111).toBe(0o111)
    expect(fs.statSync(path.join(project, '.ci/run')).mode & 0o111).toBe(0o111)
  })
})

describe('what can go wrong is told in one sentence', () => {
  const told = (error: Error) => expect(explain(error, '/somewhere/peel').message)

  it('a Node that is too old', () => {
    const oldest = Number(/\d+/.exec(JSON.parse(fs.readFileSync(path.join(project, 'package.json'), 'utf8')).engines.node)![0])
    expect(() => checkNode(`v${oldest - 1}.9.0`)).toThrow(/^Peel needs Node 20 or newer and this is Node 19\.9\.0: .*\.$/)
    expect(() => checkNode('v8.17.0')).toThrow(SetUpError)
    expect(() => checkNode(`v${oldest}.0.0`)).not.toThrow()
    expect(() => checkNode('v100.0.0')).not.toThrow()
  })

  it('files an old Node reads before it can complain use no syntax it does not know', () => {
    for (const file of ['bin/peel', 'bin/node-version.js', 'scripts/setup.mjs', 'scripts/lock.mjs', 'scripts/explain.mjs']) {
      const source = fs.readFileSync(path.join(project, file), 'utf8')
      expect(source, file).not.toMatch(/\?\.\w|\?\?|[|&]{2}=|\d_\d|^await |^\s+#\w+|static \{/m)
    }
  })

  it.each(['EROFS', 'EACCES', 'EPERM'])('a folder that cannot be written in (%s)', code => {
    told(Object.assign(new Error(`${code}: mkdir`), { code })).toMatch(/^cannot write in \/somewhere\/peel: .*\.$/)
    expect(explainInstall(`npm error code ${code}\nnpm error path /x`, 1, '/somewhere/peel').message).toMatch(/^cannot write in/)
  })

  it('a full disk', () => {
    told(Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' })).toMatch(/^the disk is full: .*\.$/)
    expect(explainInstall('npm error code ENOSPC', 228, '/x').message).toMatch(/^the disk is full/)
    const tsc = "error TS5033: Could not write file '/x/a.js': write /x/a.js: no space left on device."
    expect(explainBuild(tsc, 2, '/x').message).toMatch(/^the disk is full/)
  })

  it.each(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'ENETUNREACH'])('no network (%s)', code => {
    const { message, output } = explainInstall(`npm error code ${code}\nnpm error errno ${code}\n`, 1, '/x')
    expect(message).toMatch(/^no network: .*\.$/)
    expect(output).toBe('')
  })

  it('anything else, with what the tool said', () => {
    const install = explainInstall('npm error code E418\nnpm error a teapot', 1, '/x')
    expect(install).toMatchObject({ message: 'npm ci failed (exit code 1); what it said is above.' })
    expect(install.output).toContain('a teapot')
    told(new TypeError('odd')).toBe('set-up failed; the error is above.')
    expect(explainBuild('panic', 3, '/x')).toMatchObject({ output: 'panic' })
  })
})
