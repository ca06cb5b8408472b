import { parseSync } from 'vite'
import { isNode, nodesOf } from '../log-messages.ts'

export interface Text {
  readonly line: number
  readonly kind: 'comment' | 'title' | 'message' | 'document'
  readonly text: string
}

const TESTS = /\.(?:test|spec)\.tsx?$/u
const TITLED = new Set(['it', 'test', 'describe', 'bench'])

const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length

function calledName(callee: unknown): string {
  if (!isNode(callee)) return ''
  if (callee.type === 'Identifier') return String(callee['name'])
  if (callee.type === 'MemberExpression') return calledName(callee['object'])
  return callee.type === 'CallExpression' ? calledName(callee['callee']) : ''
}

function literalText(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
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
const SQL = /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|WHERE|AND|ORDER BY|CASE WHEN)\b/u

/**
 * Extracts comments, test titles and, outside tests, messages (literals of at least three words, except SQL) from a
 * source.
 */
export function textsOfSource(file: string, source: string): Text[] {
  const texts = commentsIn(source, parseSync(file, source).comments)
  const titles = new Set<unknown>()
  for (const node of nodesOf(file, source)) {
    if (node.type === 'CallExpression' && TITLED.has(calledName(node['callee']))) {
      const [argument] = node['arguments'] as readonly unknown[]
      const title = literalText(argument)
      titles.add(argument)
      if (title !== undefined) texts.push({ line: lineAt(source, Number(node['start'])), kind: 'title', text: title })
    } else if (!TESTS.test(file) && !titles.has(node)) {
      const message = literalText(node)
      if (message !== undefined && !SQL.test(message) && /\p{L}+ \P{L}*\p{L}+ \P{L}*\p{L}+/u.test(message))
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

export function textsOfDocument(source: string): Text[] {
  const prose = source
    .replaceAll(/^(```|~~~)[\s\S]*?^\1/gmu, (code) => code.replaceAll(/[^\n]/gu, ' '))
    .replaceAll(/`[^`\n]*`/gu, '`code`')
    .replaceAll(/\]\([^)\n]*\)/gu, ']')
    .replaceAll(/<[^>\n]*>/gu, ' ')
  return prose
    .split('\n')
    .flatMap((text, index) => (text.trim() === '' ? [] : [{ line: index + 1, kind: 'document', text }]))
}
