import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const DOCS = fileURLToPath(new URL('../docs', import.meta.url))

interface Link {
  readonly name: string
  readonly file: string
}
interface Row {
  readonly operation: string
  readonly clients: readonly Link[]
  readonly uses: readonly Link[]
  readonly tests: readonly Link[]
}

const linksIn = (cell: string): Link[] =>
  [...cell.matchAll(/\[`?([^\]`]+)`?\]\(([^)]+)\)/g)].map(([, name = '', file = '']) => ({
    name,
    file: path.join(DOCS, file),
  }))

const rows: Row[] = readFileSync(path.join(DOCS, 'operations.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [operation = '', , clients = '', use = '', tests = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
    return {
      operation: operation.replaceAll('`', ''),
      clients: linksIn(clients),
      uses: linksIn(use),
      tests: linksIn(tests),
    }
  })

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
const has = (file: string, name: string): boolean =>
  new RegExp(`^\\s*(?:export )?(?:const |function )?(?:async )?(?:function )?${name}\\b ?(?:\\(|:|=|,$)`, 'm').test(
    textOf(file),
  )

const calls = (file: string, client: Link): boolean => {
  const text = textOf(file)
  const onClient = text.includes(`/${path.basename(client.file)}'`) && text.includes(`.${client.name}(`)
  return onClient || text.includes(`await ${client.name}(`)
}

/**
 * Operations in the OpenAPI document of the reference services, without the identity provider, which the specifications
 * do not cover.
 */
async function described(): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-operations-'))
  const program = path.join(DOCS, '../packages/central/main.ts')
  const started = spawn(
    process.execPath,
    [program, '--data', folder, '--seed', 'none', '--log-level', 'silent', '--exit-with-stdin'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  onTestFinished(async () => {
    const exited = once(started, 'exit')
    started.stdin.end()
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  const [ready] = (await once(createInterface({ input: started.stdout }), 'line')) as [string]
  const { url } = JSON.parse(ready) as { url: string }
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags: string[] }>>
  }
  return Object.entries(paths).flatMap(([at, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => !tags.includes('identity'))
      .map(([method]) => `${method.toUpperCase()} ${at}`),
  )
}

test('the table of operations has one row for each operation of the reference services, and no other row', async () => {
  const operations = await described()
  expect(operations.length).toBeGreaterThanOrEqual(23)
  expect(rows.map(({ operation }) => operation).toSorted()).toEqual(operations.toSorted())
})

test('each row of the table of operations names existing functions of clients and existing tests', () => {
  const missing = rows.flatMap(({ operation, clients, tests }) => [
    ...(clients.length === 0 ? [`${operation}: no client`] : []),
    ...clients.filter(({ file, name }) => !has(file, name)).map(({ file, name }) => `${operation}: ${name} in ${file}`),
    ...(tests.length === 0 ? [`${operation}: no test`] : []),
    ...tests
      .filter(({ file }) => !/\.(test|spec)\.tsx?$/.test(file) || !existsSync(file))
      .map(({ file }) => `${operation}: ${file}`),
  ])
  expect(missing).toEqual([])
})

test('each operation of the table has a use at the lane, which calls a function that the row names', () => {
  const wrong = rows.flatMap(({ operation, clients, uses }) =>
    uses
      .filter(({ file }) => !clients.some((client) => calls(file, client)))
      .map(({ file }) => `${operation}: ${file}`),
  )
  expect(wrong).toEqual([])
  expect(rows.filter(({ uses }) => uses.length === 0).map(({ operation }) => operation)).toEqual([])
})
