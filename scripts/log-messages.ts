import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

/**
 * The list of what the backend's log can say, from its sources: `node scripts/log-messages.ts` writes it, and a test
 * compares. A support file takes no other message over from a log.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
export const LOG_MESSAGES_FILE = path.join(root, 'contracts', 'log-messages.ts')

const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
const NO_PROGRAM = /(^|\/)(testing|simulation|tool)\/|\.(test|fixture)\.ts$/

interface Node {
  readonly type: string
  readonly [part: string]: unknown
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const nodesIn = (value: unknown): Node[] => (Array.isArray(value) ? value : [value]).filter(isNode)

/** `log.warn(…)` and `options.log[…](…)`: whatever is called on something named log. */
function isLogCall({ type, callee }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return false
  const { object, property, computed } = callee
  if (!isNode(object) || !isNode(property)) return false
  const owner = object.type === 'MemberExpression' && isNode(object['property']) ? object['property'] : object
  return owner['name'] === 'log' && (computed === true || LEVELS.has(String(property['name'])))
}

/** What an argument says as it stands in the source; `#` where a number is put in. */
function wordsIn(node: Node): string[] {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : []
  if (node.type === 'TemplateLiteral')
    return [
      nodesIn(node['quasis'])
        .map(({ value }) => (value as { readonly cooked: string }).cooked)
        .join('#'),
    ]
  if (node.type === 'ConditionalExpression')
    return [...nodesIn(node['consequent']), ...nodesIn(node['alternate'])].flatMap(wordsIn)
  return []
}

/** The messages that one source can write into the log. */
export function messagesIn(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source)
  if (errors[0]) throw new Error(`${file} does not parse: ${errors[0].message}`)
  const found: string[] = []
  const visit = (node: Node): void => {
    if (isLogCall(node)) found.push(...nodesIn(node['arguments']).slice(0, 2).flatMap(wordsIn))
    for (const part of Object.values(node)) for (const child of nodesIn(part)) visit(child)
  }
  for (const node of nodesIn(program)) visit(node)
  return found
}

/** The list as a source. */
export function logMessagesSource(): string {
  const files = readdirSync(path.join(root, 'backend'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !NO_PROGRAM.test(file))
  const messages = files.flatMap((file) => messagesIn(file, readFileSync(path.join(root, 'backend', file), 'utf8')))
  const lines = [...new Set(messages)].toSorted().map((message) => `  ${quoted(message)},\n`)
  return (
    '/**\n * What the backend’s log can say, from its sources: `npm run log-messages` writes this. `#`: a number.\n' +
    ' */\n' +
    `export const LOG_MESSAGES = [\n${lines.join('')}] as const\n`
  )
}

const quoted = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)

if (import.meta.main) writeFileSync(LOG_MESSAGES_FILE, logMessagesSource())
