import { describe, expect, it } from 'vitest'
import { cloneAddress, extractBlocks, extractCommands } from './blocks.js'

const fence = '```'
const commands = (...lines: string[]) => extractCommands({ language: 'sh', code: lines.join('\n'), line: 10 })

describe('extractBlocks', () => {
  it('gives language, code and line', () => {
    const text = ['# Title', `${fence}sh`, 'npm test', '', 'npm start', fence, 'prose', `${fence}ts title="x"`, fence].join('\n')
    expect(extractBlocks(text)).toEqual([
      { language: 'sh', code: 'npm test\n\nnpm start', line: 2 },
      { language: 'ts', code: '', line: 8 },
    ])
  })

  it('knows examples that need a browser', () => {
    const [block, other] = extractBlocks(`${fence}ts page\nalert()\n${fence}\n${fence}ts pages\n${fence}`)
    expect(block).toEqual({ language: 'ts', code: 'alert()', line: 1, onPage: true })
    expect(other.onPage).toBeUndefined()
  })

  it('reports a block that does not say what it is', () => {
    expect(extractBlocks(`${fence}\nwhat?\n${fence}`)).toEqual([{ language: '', code: 'what?', line: 1 }])
  })

  it('removes the indentation of lists and quotes', () => {
    const list = ['1. first', '   ```json', '   {', '     "a": 1', '', '   }', '   ```'].join('\n')
    expect(extractBlocks(list)[0].code).toBe('{\n  "a": 1\n\n}')
    expect(extractBlocks('> ```text\n> a\n>\n>  b\n> ```')[0].code).toBe('a\n\n b')
  })

  it('keeps fences inside longer fences and of the other kind', () => {
    expect(extractBlocks('````text\n```sh\nrm\n```\n````')).toEqual([{ language: 'text', code: '```sh\nrm\n```', line: 1 }])
    expect(extractBlocks('~~~text\n```\n~~~')).toEqual([{ language: 'text', code: '```', line: 1 }])
  })

  it('takes code in a line of prose for prose', () => {
    expect(extractBlocks('use ```x``` here\n```inline``` too')).toEqual([])
  })

  it('reads files with the line ends of Windows', () => {
    expect(extractBlocks('```sh\r\nls\r\n```\r\n')).toEqual([{ language: 'sh', code: 'ls', line: 1 }])
  })

  it('fails for a block that is never closed', () => {
    expect(() => extractBlocks('text\n\n```sh\nls\n')).toThrow('the code block that opens in line 3 is never closed')
  })
})

describe('extractCommands', () => {
  it('leaves out comments, blank lines and prompts', () => {
    expect(commands('# first', '$ npm test', '', '  # then', 'npm start # runs the demo')).toEqual([
      { text: 'npm test', line: 12, exitCode: 0 },
      { text: 'npm start # runs the demo', line: 15, exitCode: 0 },
    ])
  })

  it('joins continued lines', () => {
    expect(commands('peel solve \\', '  --json \\', '  # not a comment of its own', 'ls')).toEqual([
      { text: 'peel solve \\\n  --json \\\n  # not a comment of its own', line: 11, exitCode: 0 },
      { text: 'ls', line: 14, exitCode: 0 },
    ])
    expect(commands('echo \\\\', 'ls')).toHaveLength(2)
    expect(() => commands('ls \\')).toThrow('line 11')
  })

  it('knows how a command is said to fail', () => {
    expect(commands('peel nonsense # exits with 2')[0].exitCode).toBe(2)
    expect(commands('peel nonsense # no such verb: exits with 64, always')[0].exitCode).toBe(64)
    expect(commands('echo "it exits with 2"')[0].exitCode).toBe(0)
  })
})

describe('cloneAddress', () => {
  it('is the word after git clone and its options', () => {
    expect(cloneAddress('git clone https://example.org/a/peel.git')).toBe('https://example.org/a/peel.git')
    expect(cloneAddress('git clone --depth=1 git@example.org:a/peel peel && cd peel')).toBe('git@example.org:a/peel')
    expect(cloneAddress('git clone <this repository> peel')).toBe('<this repository>')
    expect(cloneAddress('git status')).toBeUndefined()
  })
})
