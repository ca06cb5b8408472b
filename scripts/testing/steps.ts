import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface StepResult {
  readonly ok: boolean
  readonly output: string
  readonly seconds: number
}

/** Runs a program of node_modules under this Node. `show` streams its output; otherwise it is kept for later. */
export function runStep(program: string, args: readonly string[], { show = false, env = {} }: { readonly show?: boolean; readonly env?: Readonly<Record<string, string>> } = {}): Promise<StepResult> {
  const began = performance.now()
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'], env: { ...process.env, ...env } })
    let output = ''
    child.stdout?.on('data', (bytes: Buffer) => { output += bytes.toString() })
    child.stderr?.on('data', (bytes: Buffer) => { output += bytes.toString() })
    const done = (ok: boolean): void => resolve({ ok, output, seconds: (performance.now() - began) / 1000 })
    child.once('error', (error) => { output += error.message; done(false) })
    child.once('close', (code) => done(code === 0))
  })
}

export const TSC = 'node_modules/typescript/bin/tsc'
export const OXLINT = 'node_modules/oxlint/bin/oxlint'
export const VITEST = 'node_modules/vitest/vitest.mjs'
export const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js'

export const heading = (title: string): void => console.log(`\n━━ ${title} ━━`)

/** Types of both projects and the lint with its boundaries, side by side. True when all are clean. */
export async function checkSources(): Promise<{ readonly types: boolean; readonly lint: boolean }> {
  const [house, screens, lint] = await Promise.all([
    runStep(TSC, ['-p', '.']),
    runStep(TSC, ['-p', 'renderer']),
    runStep(OXLINT, ['--deny-warnings', '.']),
  ])
  heading('types')
  for (const [name, step] of [['rooms', house], ['renderer', screens]] as const) {
    console.log(`${step.ok ? 'ok' : 'FAILED'}  ${name}  (${step.seconds.toFixed(1)} s)`)
    if (!step.ok) console.log(step.output)
  }
  heading('lint and boundaries')
  console.log(`${lint.ok ? 'ok' : 'FAILED'}  (${lint.seconds.toFixed(1)} s)`)
  if (!lint.ok) console.log(lint.output)
  return { types: house.ok && screens.ok, lint: lint.ok }
}
