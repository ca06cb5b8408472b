import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { packBundle } from './bundle.ts'
import { alone, BusyError } from './lock.ts'
import { openBundleStore } from './bundle-store.ts'
import { listOf, newSigner, bundleContent } from './testing/bundle-content.ts'
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
  writeFileSync(file, packBundle(bundleContent({ sequence }, `number ${sequence}\n${'x'.repeat(50_000)}`), signer))
  return file
}

async function storeInParallel(files: readonly string[]): Promise<string[]> {
  const script = path.join(import.meta.dirname, 'testing', 'store-bundle-process.ts')
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

const active = () => {
  const found = openBundleStore(data, trust).atStart(NOW)
  if (typeof found === 'string') throw new Error(found)
  return found
}

test('if bundles are stored in parallel, the newest becomes active, and each process gets its result', async () => {
  const results = await storeInParallel([1, 2, 3].map(bundle))
  // Bundles stored after the newest are rejected as older; bundles stored before it do not replace it.
  expect(results.at(-1)).toBe('put')
  expect(results.every((result) => result === 'put' || result === 'older')).toBe(true)
  expect(active().manifest.sequence).toBe(3)
  expect(readFileSync(active().profileFile, 'utf8')).toContain('number 3\n')
  expect(existsSync(path.join(data, 'bundles', 'lock'))).toBe(false)
  expect(readdirSync(path.join(data, 'bundles')).filter((name) => name.endsWith('.new'))).toEqual([])
}, 60_000)

test('a bundle that is stored several times in parallel exists once and is complete', async () => {
  const file = bundle(1)
  expect((await storeInParallel([file, file])).toSorted()).toEqual(['put', 'there-already'])
  expect(active().manifest.sequence).toBe(1)
}, 60_000)

test("a killed CLI command's lock on the bundles blocks no other one; a running CLI command's lock does", () => {
  const place = path.join(folder, 'place')
  alone(place, 0, () => undefined)
  const lock = path.join(place, 'lock')
  const exited = spawn(process.execPath, ['-e', '0'])
  writeFileSync(lock, `${exited.pid}`)
  return new Promise<void>((resolve) => {
    exited.once('exit', () => resolve())
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
