import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { brokenBoundaries, sourcesOf } from '../boundaries.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const COMPILED = fileURLToPath(new URL('../../build/compiled', import.meta.url))

export interface StepResult {
  readonly ok: boolean
  readonly output: string
  readonly seconds: number
}

interface StepOptions {
  readonly show?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Time limit, after which a hanging runner is killed with all its processes; the step has failed then. */
  readonly deadlineMs?: number
}

/**
 * Runs a JavaScript program with this Node in its own process group, which ends with this process. Concurrent Sparkplug
 * compilation is off, because it can keep Node from exiting (docs/decisions/0012-memory-of-the-backend.md).
 */
export function runStep(
  program: string,
  args: readonly string[],
  { show = false, env = {}, deadlineMs = 10 * 60_000 }: StepOptions = {},
): Promise<StepResult> {
  const began = performance.now()
  return new Promise((resolve) => {
    const stream = show ? 'inherit' : 'pipe'
    const child = spawn(process.execPath, ['--no-concurrent-sparkplug', program, ...args], {
      cwd: root,
      stdio: ['ignore', stream, stream],
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...env },
      detached: process.platform !== 'win32',
    })
    let output = ''
    const end = (): void => endGroup(child)
    const interrupted = (): void => {
      end()
      process.exit(130)
    }
    const timer = setTimeout(() => {
      output += `did not end within ${deadlineMs / 1000} s and was killed`
      if (show) console.log(`${program} did not end within ${deadlineMs / 1000} s and was killed`)
      end()
    }, deadlineMs)
    process.once('exit', end)
    process.once('SIGINT', interrupted)
    process.once('SIGTERM', interrupted)
    child.stdout?.on('data', (bytes: Buffer) => {
      output += bytes.toString()
    })
    child.stderr?.on('data', (bytes: Buffer) => {
      output += bytes.toString()
    })
    const done = (ok: boolean): void => {
      clearTimeout(timer)
      process.off('exit', end)
      process.off('SIGINT', interrupted)
      process.off('SIGTERM', interrupted)
      resolve({ ok, output, seconds: (performance.now() - began) / 1000 })
    }
    child.once('error', (error) => {
      output += error.message
      done(false)
    })
    child.once('close', (code) => done(code === 0))
  })
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  if (process.platform === 'win32') child.kill()
  else process.kill(-child.pid, 'SIGKILL')
}

export const TSC = 'node_modules/typescript/bin/tsc'
/**
 * On up to four cores, type checks use one thread: each compiler thread infers many types again, and other steps need
 * the cores too.
 */
const TSC_THREADS = availableParallelism() > 4 ? [] : ['--singleThreaded']
export const OXFMT = 'node_modules/oxfmt/bin/oxfmt'
export const OXLINT = 'node_modules/oxlint/bin/oxlint'
const CSPELL = 'node_modules/cspell/bin.mjs'
export const VITEST = 'node_modules/vitest/vitest.mjs'
export const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js'

export const heading = (title: string): void => console.log(`\n━━ ${title} ━━`)

/** Checks the types of both projects, lint, layout and language in parallel, then module boundaries. */
export async function checkSources(): Promise<{
  readonly types: boolean
  readonly lint: boolean
  readonly layout: boolean
  readonly language: boolean
}> {
  const [tree, screens, lint, layout, phrases, spelling] = await Promise.all([
    runStep(TSC, ['-p', '.', ...TSC_THREADS]),
    runStep(TSC, ['-p', 'renderer', ...TSC_THREADS]),
    runStep(OXLINT, ['--deny-warnings', '.']),
    runStep(OXFMT, ['--check']),
    runStep('scripts/language/main.ts', []),
    runStep(CSPELL, ['--no-progress', '--no-summary']),
  ])
  heading('types')
  for (const [name, step] of [
    ['modules', tree],
    ['renderer', screens],
  ] as const) {
    console.log(`${step.ok ? 'ok' : 'FAILED'}  ${name}  (${step.seconds.toFixed(1)} s)`)
    if (!step.ok) console.log(step.output)
  }
  heading('lint and boundaries')
  console.log(`${lint.ok ? 'ok' : 'FAILED'}  (${lint.seconds.toFixed(1)} s)`)
  if (!lint.ok) console.log(lint.output)
  const broken = brokenBoundaries(sourcesOf(root))
  for (const line of broken) console.log(`FAILED  ${line}`)
  heading('layout')
  console.log(`${layout.ok ? 'ok' : 'FAILED  (run npm run format)'}  (${layout.seconds.toFixed(1)} s)`)
  if (!layout.ok) console.log(layout.output)
  heading('language')
  for (const [name, step] of [
    ['phrases of scripts/language/phrases.ts', phrases],
    ['spelling: correct terms go to scripts/language/spelling.txt', spelling],
  ] as const) {
    console.log(`${step.ok ? 'ok' : 'FAILED'}  ${name}  (${step.seconds.toFixed(1)} s)`)
    if (!step.ok) console.log(step.output)
  }
  return {
    types: tree.ok && screens.ok,
    lint: lint.ok && broken.length === 0,
    layout: layout.ok,
    language: phrases.ok && spelling.ok,
  }
}
