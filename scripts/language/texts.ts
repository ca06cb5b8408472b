import { parseSync } from 'vite'
import { isNode, nodesOf } from '../log-messages.ts'

export interface Text {
  readonly line: number
  readonly kind: 'comment' | 'group' | 'title' | 'message' | 'document'
  readonly text: string
}

const TESTS = /\.(?:test|spec)\.tsx?$/u
const TITLED = new Set(['it', 'test', 'describe', 'bench'])
/** Methods in the name of a call with a title: `test.each([…])('…')`, `describe.skipIf(…)('…')`. */
const TITLED_METHODS =
  /^(?:each|for|only|skip|skipIf|runIf|todo|fails|concurrent|sequential|serial|parallel|step|describe)$/u

const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length

function calledName(callee: unknown): string {
  if (!isNode(callee)) return ''
  if (callee.type === 'Identifier') return String(callee['name'])
  if (callee.type === 'MemberExpression') {
    const { object, property } = callee
    const method = isNode(property) ? String(property['name']) : ''
    const owner = TITLED_METHODS.test(method) ? calledName(object) : ''
    return method === 'describe' && owner !== '' ? method : owner
  }
  return callee.type === 'CallExpression' ? calledName(callee['callee']) : ''
}

function literalText(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if ((node.type === 'Literal' || node.type === 'JSXText') && typeof node['value'] === 'string') return node['value']
  if (node.type !== 'TemplateLiteral') return undefined
  const quasis = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[]
  return quasis.map(({ value }) => value.cooked).join('#')
}

/** Adjacent line comments are joined to one text, so that a phrase over two lines is found. */
function commentsIn(
  source: string,
  comments: readonly { readonly start: number; readonly end: number; readonly type: string; readonly value: string }[],
): Text[] {
  const texts: { line: number; last: number; text: string }[] = []
  for (const { start, end, type, value } of comments) {
    const line = lineAt(source, start)
    const text = type === 'Block' ? value.replaceAll(/^\s*\*+ ?/gmu, '') : value.trim()
    const before = texts.at(-1)
    if (type === 'Line' && before !== undefined && before.last === line - 1) {
      before.text += `\n${text}`
      before.last = line
    } else texts.push({ line, last: type === 'Block' ? -1 : lineAt(source, end), text: text.trim() })
  }
  return texts.map(({ line, text }) => ({ line, kind: 'comment', text }))
}

/** Matches SQL, which is ignored because it names columns and tables of existing databases. */
const SQL = new RegExp(
  [
    String.raw`\b(?:SELECT\b[\s\S]*\bFROM|SELECT \d|INSERT INTO|UPDATE [\w#]+ SET|DELETE FROM|CREATE [A-Z]+)`,
    String.raw`\b(?:WHERE|AND|ON)\b[\s\S]*?(?:[=<>?@]|\b(?:IN|IS|NOT|LIKE)\b)`,
    String.raw`\b(?:ORDER BY|GROUP BY|CASE WHEN)`,
  ].join('|'),
  'u',
)
/** Two words, or one that begins with a capital: other literals are keys and codes. */
const MESSAGE = /\p{L}+ \P{L}*\p{L}|^\s*\p{Lu}\p{Ll}/u

/** Extracts comments, test titles and, outside tests, messages: literals that are neither keys nor SQL. */
export function textsOfSource(file: string, source: string): Text[] {
  const texts = commentsIn(source, parseSync(file, source).comments)
  const titles = new Set<unknown>()
  for (const node of nodesOf(file, source)) {
    const called = node.type === 'CallExpression' ? calledName(node['callee']) : ''
    if (TITLED.has(called)) {
      const [argument] = node['arguments'] as readonly unknown[]
      const title = literalText(argument)
      titles.add(argument)
      const kind = called === 'describe' ? 'group' : 'title'
      if (title !== undefined) texts.push({ line: lineAt(source, Number(node['start'])), kind, text: title })
    } else if (!TESTS.test(file) && !titles.has(node)) {
      const message = literalText(node)
      if (message !== undefined && !SQL.test(message) && MESSAGE.test(message))
        texts.push({ line: lineAt(source, Number(node['start'])), kind: 'message', text: message })
    }
  }
  return texts
}

export const textsOfStyles = (source: string): Text[] =>
  [...source.matchAll(/\/\*([\s\S]*?)\*\//gu)].map((match) => ({
    line: lineAt(source, match.index),
    kind: 'comment',
    text: (match[1] ?? '').trim(),
  }))

/**
 * Extracts the comments of SQL. Adjacent comments without code are one text; comments behind code describe different
 * columns.
 */
export function textsOfSql(source: string): Text[] {
  const matches = [...source.matchAll(/'(?:[^']|'')*'|"[^"]*"|--([^\n]*)/gu)].filter((match) => match[1] !== undefined)
  return commentsIn(
    source,
    matches.map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      type: /^[ \t]*$/u.test(source.slice(source.lastIndexOf('\n', match.index) + 1, match.index)) ? 'Line' : 'Block',
      value: match[1] ?? '',
    })),
  )
}

/** Extracts the comments of YAML and of shell scripts, without the first line that names the shell. */
export function textsOfHashes(source: string): Text[] {
  const matches = [...source.matchAll(/'[^'\n]*'|"[^"\n]*"|(?<![^\s])#(?!!)([^\n]*)/gu)]
  return commentsIn(
    source,
    matches.flatMap(({ index, 1: value }) =>
      value === undefined ? [] : [{ start: index, end: index, type: 'Line', value }],
    ),
  )
}

/** Matches a line of Markdown that does not continue the paragraph above it. */
const BLOCK = /^\s*(?:[#>|*+-]|\d+\.|$)/u

export function textsOfDocument(source: string): Text[] {
  const prose = source
    .replaceAll(/^(```|~~~)[\s\S]*?^\1/gmu, (code) => code.replaceAll(/[^\n]/gu, ' '))
    .replaceAll(/`[^`\n]*`/gu, '`code`')
    .replaceAll(/\]\([^)\n]*\)/gu, ']')
    .replaceAll(/<[^>\n]*>/gu, ' ')
  const texts: Text[] = []
  let paragraph = false
  for (const [index, text] of prose.split('\n').entries()) {
    const before = texts.at(-1)
    if (paragraph && before !== undefined && !BLOCK.test(text)) {
      texts.splice(-1, 1, { ...before, text: `${before.text}\n${text}` })
    } else if (text.trim() !== '') texts.push({ line: index + 1, kind: 'document', text })
    paragraph = text.trim() !== '' && !/^\s*[#|]/u.test(text)
  }
  return texts
}
