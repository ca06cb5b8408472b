import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forkLikeElectron, forkModule, UTILITY_MAIN } from '../testing/utility-stand-in.ts'
import { adaptUtility, raiseExitCode, readUtilityExit } from './utility-streams.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-utility-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('a utility process inside Electron', () => {
  it('is read to its last line, with its exit code, when it refuses to continue', async () => {
    const script = path.join(folder, 'refuse.mjs')
    writeFileSync(
      script,
      "console.log('half done'); console.error('line 3: region'); process.stderr.write('nothing was " +
        "changed\\n', () => process.exit(2))",
    )
    const child = adaptUtility(forkLikeElectron({ script, args: [], env: {} }))
    const output = text(child.stdout)
    const lines: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
    expect(await child.exited).toEqual({ code: 2, signal: null })
    expect(lines).toEqual(['line 3: region', 'nothing was changed'])
    expect(await output).toBe('half done\n')
  })

  it('is read while it runs, each byte once, and its output ends although Electron signals no end', async () => {
    const source = new PassThrough()
    let ended = (_code: number): void => {}
    const child = adaptUtility({
      pid: 1,
      stdout: source,
      stderr: null,
      postMessage: () => {},
      once: (_event, listener) => {
        ended = listener
      },
    })
    const output = text(child.stdout)
    source.write('one ')
    await new Promise(setImmediate)
    ended(0)
    source.write('two')
    expect(await output).toBe('one two')
    expect(await text(child.stderr)).toBe('')
    source.write('too late')
    await new Promise(setImmediate)
  })

  it('finishes its work first when it is asked to end', async () => {
    const script = path.join(folder, 'closing.mjs')
    writeFileSync(
      script,
      "console.log('begun'); process.once('SIGTERM', () => setTimeout(() => process.stdout.write('closed\\n', " +
        '() => process.exit(0)), 50))',
    )
    const child = adaptUtility(forkModule(UTILITY_MAIN, [script], process.env, 'live'))
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      if (line === 'begun') child.stop()
    })
    expect(await child.exited).toEqual({ code: 0, signal: null })
    expect(lines).toEqual(['begun', 'closed'])
  })

  it('ends with its message at an unhandled rejection, as under Node', async () => {
    const script = path.join(folder, 'reject.mjs')
    writeFileSync(script, "setInterval(() => {}, 1000); void Promise.reject(new Error('nobody caught me'))")
    const child = adaptUtility(forkModule(UTILITY_MAIN, [script], process.env, 'live'))
    const errorOutput = text(child.stderr)
    expect(await child.exited).toEqual({ code: 1, signal: null })
    expect(await errorOutput).toContain('nobody caught me')
  })

  it('raises its exit codes above all signal numbers, and the supervisor reads the original codes', () => {
    for (const code of [1, 2, 3, 4]) {
      expect(readUtilityExit(raiseExitCode(code), 'linux')).toEqual({ code, signal: null })
      expect(readUtilityExit(raiseExitCode(code) << 8, 'linux')).toEqual({ code, signal: null })
      expect(readUtilityExit(raiseExitCode(code), 'win32')).toEqual({ code, signal: null })
    }
    expect(readUtilityExit(2, 'linux')).toEqual({ code: null, signal: 'SIGINT' })
    expect(readUtilityExit(4, 'linux')).toEqual({ code: null, signal: 'SIGILL' })
    expect(readUtilityExit(11 | 0x80, 'linux')).toEqual({ code: null, signal: 'SIGSEGV' })
    expect(readUtilityExit(3, 'win32')).toEqual({ code: 1, signal: null })
    expect(readUtilityExit(0, 'linux')).toEqual({ code: 0, signal: null })
  })
})
