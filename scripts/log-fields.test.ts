import { expect, test } from 'vitest'
import { LOG_LINE_FIELDS } from '../contracts/core/log-fields.ts'
import { isLogCall, isNode, nodesIn, nodesOf, sourceAt, sourcesOf, type Node } from './log-messages.ts'

const MODULES = ['backend', 'electron', 'hardware', 'packages/store-server', 'packages/supervisor', 'packages/delivery']

/** Log arguments that are not object literals: their name, and the log fields of their type. */
const SHAPES: Readonly<Record<string, readonly string[]>> = {
  restored: ['at', 'backup', 'outcome', 'reason', 'by', 'epoch', 'entriesLost', 'newestEntryAt', 'seconds'],
  back: ['kind', 'fromSchema', 'copy', 'aside', 'schema', 'why'],
  found: ['state', 'aheadSeconds'],
  result: ['at', 'outcome', 'file', 'bytes', 'detail'],
  room: ['freeMb', 'neededMb', 'state'],
  facts: ['version', 'running', 'left'],
  'answer.failed': ['cause', 'code', 'correlationId'],
  idsOf: ['correlationId', 'route', 'trace'],
  factsOf: ['service', 'path', 'outcome', 'status', 'latencyMs', 'trace', 'correlationId'],
}

function calledBy(node: Node): string {
  if (node.type === 'CallExpression' && isNode(node['callee'])) return calledBy(node['callee'])
  if (node.type === 'MemberExpression' && isNode(node['object']) && isNode(node['property']))
    return `${calledBy(node['object'])}.${String(node['property']['name'])}`
  return String(node['name'])
}

function fieldsIn(file: string, source: string): string[] {
  const shapeOf = (node: Node): readonly string[] => SHAPES[calledBy(node)] ?? [`? ${calledBy(node)} in ${file}`]
  const fieldsOf = (node: Node): readonly string[] => {
    if (node.type === 'Literal' || node.type === 'TemplateLiteral') return []
    if (node.type !== 'ObjectExpression') return shapeOf(node)
    return nodesIn(node['properties']).flatMap((property): readonly string[] => {
      const [key, spread] = [property['key'], property['argument']]
      if (isNode(spread)) return shapeOf(spread)
      return isNode(key) ? [String(key['name'] ?? key['value'])] : []
    })
  }
  return nodesOf(file, source)
    .filter(isLogCall)
    .flatMap((call) => nodesIn(call['arguments']).slice(0, 1))
    .flatMap(fieldsOf)
}

test('every field of every log line has a declared name', () => {
  const declared = new Set<string>(LOG_LINE_FIELDS)
  const files = MODULES.flatMap(sourcesOf)
  expect(files.length).toBeGreaterThan(400)
  const logged = files.flatMap((file) => fieldsIn(file, sourceAt(file)).map((field) => ({ file, field })))
  expect(logged.length).toBeGreaterThan(80)
  expect(logged.filter(({ field }) => !declared.has(field))).toEqual([])
})

test('the check finds an undeclared log field at any place of a source', () => {
  const source = `
    log.warn({ err: error, pan: number }, 'one')
    options.log[good ? 'info' : 'warn']({ ...secrets }, 'two')
    log.error(whole, 'three')
    log.info('four')
  `
  expect(fieldsIn('some.ts', source)).toEqual(['err', 'pan', '? secrets in some.ts', '? whole in some.ts'])
})

test('the sources of the shell, the supervisor and the store server build no log line without the logger', () => {
  const lines = ['electron', 'packages/supervisor', 'packages/store-server'].flatMap((module) =>
    sourcesOf(module).filter((file) => /JSON\.stringify\(\{ ?level/.test(sourceAt(file))),
  )
  expect(lines).toEqual([])
})
