// Finds the fenced code blocks of a Markdown document, and the commands in those of a shell.

export interface Block {
  language: string
  code: string
  line: number // of the opening fence, from 1
  onPage?: true // "ts page": an example that needs a browser
}

export interface Command {
  text: string
  line: number
  exitCode: number
}

/** Also finds blocks inside list items, whose indentation is removed. */
export function extractBlocks(markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.split(/\r?\n/)
  for (let i = 0; i < lines.length; i++) {
    const open = /^([ \t]*(?:> ?)*)(`{3,}|~{3,})\s*([^\s`{]*)([^`]*)$/.exec(lines[i])
    if (!open) continue
    const [, indentation, fence, language, rest] = open
    const close = new RegExp(`^[\\s>]*${fence[0]}{${fence.length},}\\s*$`)
    const length = lines.slice(i + 1).findIndex(line => close.test(line))
    if (length < 0) throw new Error(`the code block that opens in line ${i + 1} is never closed`)
    const code = lines.slice(i + 1, i + 1 + length).map(line => unindent(line, indentation))
    blocks.push({ language, code: code.join('\n'), line: i + 1, ...(rest.trim() === 'page' && { onPage: true }) })
    i += length + 1
  }
  return blocks
}

function unindent(line: string, indentation: string) {
  if (line.startsWith(indentation)) return line.slice(indentation.length)
  return line.trim() === '>' ? '' : line.trimStart()
}

/** One command per line; `\` at its end continues it, and `# exits with 2` says that it fails and how. */
export function extractCommands(block: Block): Command[] {
  const commands: Command[] = []
  let pending = ''
  let first = 0
  for (const [index, line] of block.code.split('\n').entries()) {
    const part = pending ? line : line.replace(/^\s*\$ /, '')
    if (!pending && /^\s*(#|$)/.test(part)) continue
    if (!pending) first = block.line + 1 + index
    pending += part
    if (/(^|[^\\])(\\\\)*\\$/.test(part)) {
      pending += '\n'
      continue
    }
    const exits = /\s#.*\bexits with (\d+)\b/.exec(pending)
    commands.push({ text: pending.trim(), line: first, exitCode: exits ? Number(exits[1]) : 0 })
    pending = ''
  }
  if (pending) throw new Error(`the command in line ${first} ends with a backslash`)
  return commands
}

/** The address that a `git clone` in this command would fetch, as it is written there. */
export function cloneAddress(command: string): string | undefined {
  return /\bgit clone\s+(?:-\S+\s+)*(<[^>]*>|'[^']*'|"[^"]*"|[^\s;&|#]+)/.exec(command)?.[1]
}
