import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

/**
 * Writes the list of all log messages of the backend: `node scripts/log-messages.ts`. A test checks that the list is
 * current. A support file contains no other message of a log.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
export const LOG_MESSAGES_FILE = path.join(root, 'contracts', 'core', 'log-messages.ts')

const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
const NO_PROGRAM = /(^|\/)(testing|simulation|tool)\/|\.(test|fixture)\.ts$/

export interface Node {
  readonly type: string
  readonly [part: string]: unknown
}
export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
export const nodesIn = (value: unknown): Node[] => (Array.isArray(value) ? value : [value]).filter(isNode)

/** Whether a node is a log call, `log.warn(…)` or `options.log[…](…)`: a call on an object named log. */
export function isLogCall({ type, callee }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return false
  const { object, property, computed } = callee
  if (!isNode(object) || !isNode(property)) return false
  const owner = object.type === 'MemberExpression' && isNode(object['property']) ? object['property'] : object
  return owner['name'] === 'log' && (computed === true || LEVELS.has(String(property['name'])))
}

function textsInNode(node: Node): string[] {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : []
  if (node.type === 'TemplateLiteral')
    return [
      nodesIn(node['quasis'])
        .map(({ value }) => (value as { readonly cooked: string }).cooked)
        .join('#'),
    ]
  if (node.type === 'ConditionalExpression')
    return [...nodesIn(node['consequent']), ...nodesIn(node['alternate'])].flatMap(textsInNode)
  return []
}

const textsIn = ({ type, key, value }: Node): string[] =>
  type === 'Property' && isNode(key) && key['name'] === 'msg' && isNode(value) && value.type === 'Literal'
    ? textsInNode(value)
    : []

export function messagesIn(file: string, source: string): string[] {
  return nodesOf(file, source).flatMap((node) => [
    ...textsIn(node),
    ...(isLogCall(node) ? nodesIn(node['arguments']).slice(0, 2).flatMap(textsInNode) : []),
  ])
}

export function nodesOf(file: string, source: string): Node[] {
  const { program, errors } = parseSync(file, source)
  if (errors[0]) throw new Error(`${file} does not parse: ${errors[0].message}`)
  const found: Node[] = []
  const visit = (node: Node): void => {
    found.push(node)
    for (const part of Object.values(node)) for (const child of nodesIn(part)) visit(child)
  }
  for (const node of nodesIn(program)) visit(node)
  return found
}

export const sourcesOf = (module: string): string[] =>
  readdirSync(path.join(root, module), { recursive: true, encoding: 'utf8' })
    .map((file) => `${module}/${file.split(path.sep).join('/')}`)
    .filter((file) => file.endsWith('.ts') && !NO_PROGRAM.test(file))
export const sourceAt = (file: string): string => readFileSync(path.join(root, file), 'utf8')

export function logMessagesSource(): string {
  const files = [...sourcesOf('backend'), 'contracts/core/log-fields.ts']
  const messages = files.flatMap((file) => messagesIn(file, sourceAt(file)))
  const lines = [...new Set(messages)].toSorted().map((message) => `  ${quoted(message)},\n`)
  return (
    '/**\n * The messages of the backend’s log, from its sources: `npm run lab -- log-messages` writes this. `#`: a ' +
    'number.\n' +
    ' */\n' +
    `export const LOG_MESSAGES = [\n${lines.join('')}] as const\n`
  )
}

const quoted = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)

if (import.meta.main) writeFileSync(LOG_MESSAGES_FILE, logMessagesSource())
