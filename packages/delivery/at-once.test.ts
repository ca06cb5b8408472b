import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { packBundle } from './bundle.ts'
import { alone, BusyError } from './lock.ts'
import { openShelf } from './shelf.ts'
import { listOf, newSigner, parts } from './testing/parts.ts'
import { sealTrust } from './trust.ts'

const signer = newSigner()
const trust = listOf(1, [signer])
const NOW = new Date()
let folder: string
let data: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  data = path.join(folder, 'data')
  writeFileSync(path.join(folder, 'trust.keys'), sealTrust(trust, signer))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
})

function bundle(sequence: number): string {
  const file = path.join(folder, `${sequence}.bundle`)
  writeFileSync(file, packBundle(parts({ sequence }, `number ${sequence}\n${'x'.repeat(50_000)}`), signer))
  return file
}

/** Puts bundles from a process each, all at the same moment. What each said. */
async function putAtOnce(files: readonly string[]): Promise<string[]> {
  const script = path.join(import.meta.dirname, 'testing', 'one-put.ts')
  const children = files.map((file) => {
    const child = spawn(process.execPath, [script, data, path.join(folder, 'trust.keys'), file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
  })
  for (const { lines } of children) await lines.next()
  for (const { child } of children) child.stdin.write('now\n')
  return Promise.all(children.map(async ({ lines }) => String((await lines.next()).value)))
}

const sold = () => {
  const found = openShelf(data, trust).atStart(NOW)
  if (typeof found === 'string') throw new Error(found)
  return found
}

test('of bundles that are put at once the newest is sold by, and each is told what became of it', async () => {
  const said = await putAtOnce([1, 2, 3].map(bundle))
  // Whoever came after the newest is told; nobody who came before takes its place.
  expect(said.at(-1)).toBe('put')
  expect(said.every((word) => word === 'put' || word === 'older')).toBe(true)
  expect(sold().manifest.sequence).toBe(3)
  expect(readFileSync(sold().profileFile, 'utf8')).toContain('number 3\n')
  expect(existsSync(path.join(data, 'bundles', 'lock'))).toBe(false)
  expect(readdirSync(path.join(data, 'bundles')).filter((name) => name.endsWith('.new'))).toEqual([])
}, 60_000)

test('the same bundle that is put at once is there once, and whole', async () => {
  const file = bundle(1)
  expect((await putAtOnce([file, file])).toSorted()).toEqual(['put', 'there-already'])
  expect(sold().manifest.sequence).toBe(1)
}, 60_000)

test('a command that was killed at its work is in nobody’s way; one that is at work is waited for', () => {
  const place = path.join(folder, 'place')
  alone(place, 0, () => undefined)
  const lock = path.join(place, 'lock')
  const gone = spawn(process.execPath, ['-e', '0'])
  writeFileSync(lock, `${gone.pid}`)
  return new Promise<void>((resolve) => {
    gone.once('exit', () => resolve())
  }).then(() => {
    expect(alone(place, 0, () => 'done')).toBe('done')
    writeFileSync(lock, `${process.ppid}`)
    expect(() => alone(place, 50, () => undefined)).toThrow(BusyError)
    expect(readFileSync(lock, 'utf8')).toBe(`${process.ppid}`)
    writeFileSync(lock, 'no process')
    expect(alone(place, 0, () => 'done')).toBe('done')
    expect(existsSync(lock)).toBe(false)
  })
})
