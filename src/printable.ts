/** Makes text from files and callers safe to print. Control characters could move the cursor of a terminal, rewrite lines or change its
 *  settings; characters that turn the direction of writing make text look like another one. They are shown as \u001b and the like. */

// Control characters but for tab and line feed, marks and overrides of direction, separators of lines, and the byte order mark.
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu

/** Tabs and line ends stay. What is JSON before is the same JSON afterwards. */
export function printable(text: string): string {
  return text.replace(UNSAFE, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Without line ends either: for titles and names, which must not look like lines of ours. */
export function printableLine(text: string): string {
  return printable(text.replace(/[\t\n\r]+/g, ' '))
}

/** Any value as it would be written in a file, cut short. Objects may have a `toString` that is none, so they are not asked. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return value.length > 4 ? `a list of ${value.length}` : `[${value.map(show).join(', ')}]`
  if (ArrayBuffer.isView(value)) return `${/^[AEIOU]/.test(value.constructor.name) ? 'an' : 'a'} ${value.constructor.name}`
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 40 ? `${text.slice(0, 38)}…` : text
}

/** The same, but for texts as they are. */
export function showWord(value: unknown): string {
  return typeof value === 'string' ? value : show(value)
}
