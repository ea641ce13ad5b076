import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyWithSmallSource, project, temporaryFolder, write } from '../setup/working-copy.js'
import { extractBlocks, extractCommands } from './blocks.js'
import { buildExamples, type Document, findDocuments, objection, openShell, type Prepared, prepare } from './runner.js'

const temporary = temporaryFolder()
let prepared: Prepared

beforeAll(async () => {
  prepared = await prepare(temporary.folder, to => {
    copyWithSmallSource(to)
    for (const file of ['blocks.ts', 'blocks.test.ts']) {
      fs.cpSync(path.join(project, 'test/docs', file), path.join(to, 'test/docs', file))
    }
  })
})
afterAll(() => temporary.dispose())

const sample = (name: string, language: string, ...lines: string[]): Document => ({
  name,
  blocks: extractBlocks(['# A sample', `\`\`\`${language}`, ...lines, '```'].join('\n')),
})

async function follow(document: Document) {
  const shell = openShell(prepared, document)
  let printed = ''
  for (const command of document.blocks.flatMap(extractCommands)) printed += (await shell.command(command)).stdout
  return printed
}

describe('commands in documents', () => {
  it('run in a checkout that is set up, and see what earlier ones left', async () => {
    const printed = await follow(
      sample(
        'one.md',
        'sh',
        'mkdir here && cd here',
        'export WORD="two words"',
        'echo $WORD > "a file"',
        'cat *file',
        '../bin/peel solve',
      ),
    )
    expect(printed).toContain('two words\n{"argv":["solve"]')
    expect(printed).toMatch(/"cwd":"[^"]*\/one-md\/here"/)
  })

  it('start with nothing but a clone where the document says so, which sets itself up', async () => {
    const document = sample(
      'two.md',
      'sh',
      'git clone https://example.org/some/peel.git',
      'cd peel',
      'bin/peel solve',
      'npm test',
      'npm start',
    )
    const printed = await follow(document)
    expect(printed).toMatch(/"cwd":"[^"]*\/two-md\/peel"/)
    expect(printed).toContain('test/docs/blocks.test.ts')
    expect(printed).toContain('{"argv":["demo"]')
  })

  it('may clone into a folder of another name', async () => {
    expect(await follow(sample('three.md', 'sh', 'git clone <address> liquid && cd liquid', 'ls'))).toContain('package.json')
  })

  it('fail with the command and its output', async () => {
    await expect(follow(sample('four.md', 'sh', 'echo fine', 'echo looking; ls nowhere'))).rejects.toThrow(
      /line 4: echo looking; ls nowhere\nended with 2:\nlooking\nls: .*nowhere/,
    )
    await expect(follow(sample('five.md', 'sh', 'false | cat'))).rejects.toThrow('ended with 1')
    await expect(follow(sample('six.md', 'sh', 'cd nowhere'))).rejects.toThrow('ended with 1')
  })

  it('may be said to fail, and must then fail that way', async () => {
    expect(await follow(sample('seven.md', 'sh', 'bin/peel fail # exits with 2', 'exit 3 # exits with 3', 'echo on'))).toContain(
      'on\n',
    )
    await expect(follow(sample('eight.md', 'sh', 'true # exits with 2'))).rejects.toThrow(
      'ended where the document says 2 with 0',
    )
  })
})

describe('examples in documents', () => {
  it('import the package by its name, are type-checked together and run where the reader is', async () => {
    const good = sample(
      'good.md',
      'ts',
      "import { answer } from 'peel'",
      'console.log(await Promise.resolve(answer), process.cwd())',
    )
    const again = sample('again.md', 'ts', "import { answer } from 'peel'", 'const twice = answer * 2', 'console.log(twice)')
    const examples = await buildExamples(prepared, [good, again])
    expect(examples.errors).toBe('')
    const ran = await openShell(prepared, good).example(examples.built(good, good.blocks[0]))
    expect(ran.stdout).toMatch(/^42 \S*\/good-md\n$/)
    expect((await openShell(prepared, again).example(examples.built(again, again.blocks[0]))).stdout).toBe('84\n')
  })

  it('fail for wrong types and for errors', async () => {
    const wrong = sample(
      'wrong.md',
      'ts',
      "import { answer } from 'peel'",
      'const text: string = answer',
      "throw new Error('thrown' + text)",
    )
    const examples = await buildExamples(prepared, [wrong])
    expect(examples.errors).toMatch(/wrong-md-line-2\.ts\(2,7\): error TS2322/)
    const shell = openShell(prepared, wrong)
    await expect(shell.example(examples.built(wrong, wrong.blocks[0]))).rejects.toThrow(/ended with 1:[\s\S]*Error: thrown42/)
  })
})

describe('blocks of documents', () => {
  it('must say what they are', () => {
    const said = ['sh', 'ts', 'json', 'text', '', 'bash'].map(language => objection({ language, code: '{}', line: 7 }))
    expect(said.slice(0, 4)).toEqual(['', '', '', ''])
    expect(said[4]).toContain('line 7: say what it is')
    expect(said[5]).toContain('not "bash"')
  })

  it('must parse as JSON if they say so', () => {
    expect(objection({ language: 'json', code: '{ "a": 1, }', line: 3 })).toMatch(/^line 3: .*JSON/)
  })

  it('are looked for in all documents', () => {
    const folder = path.join(temporary.folder, 'documents-to-find')
    for (const name of ['README.md', 'CHANGELOG.md', 'other.md', 'docs/b/deep.md', 'docs/a.md', 'docs/a.png']) {
      write(path.join(folder, name), '```text\nx\n```\n')
    }
    expect(findDocuments(folder).map(({ name }) => name)).toEqual(['README.md', 'CHANGELOG.md', 'docs/a.md', 'docs/b/deep.md'])
    expect(findDocuments(path.join(folder, 'docs/b'))).toEqual([])
  })
})
