import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forkLikeElectron } from './testing/utility-stand-in.ts'
import { adaptUtility } from './utility-streams.ts'

let folder: string
beforeEach(() => { folder = mkdtempSync(path.join(tmpdir(), 'milepost-utility-')) })
afterEach(() => { rmSync(folder, { recursive: true, force: true }) })

describe('a process inside Electron', () => {
  it('that refuses to go on is heard to its last word, with its exit code', async () => {
    const script = path.join(folder, 'refuse.mjs')
    writeFileSync(script, "console.log('half done'); console.error('line 3: region'); console.error('nothing was changed'); process.exitCode = 2")
    const child = adaptUtility(forkLikeElectron({ script, args: [], env: {} }))
    const said = text(child.stdout)
    const lines: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
    expect(await child.exited).toEqual({ code: 2, signal: null })
    expect(lines).toEqual(['line 3: region', 'nothing was changed'])
    expect(await said).toBe('half done\n')
  })

  it('is heard once while it runs, and its output ends although nobody says so', async () => {
    const told = new PassThrough()
    let ended = (_code: number): void => {}
    const child = adaptUtility({ pid: 1, stdout: told, stderr: null, kill: () => true, once: (_event, listener) => { ended = listener } })
    const said = text(child.stdout)
    told.write('one ')
    await new Promise(setImmediate)
    ended(0)
    told.write('two')
    expect(await said).toBe('one two')
    expect(await text(child.stderr)).toBe('')
    told.write('too late')
    await new Promise(setImmediate)
  })
})
