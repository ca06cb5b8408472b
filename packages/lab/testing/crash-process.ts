import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { runProgram } from '../../../backend/program.ts'

/**
 * Runs the whole backend, which kills its own process with `SIGKILL` at a given step, so that no later statement
 * runs. Environment variables:
 *
 * - `CRASH_STEPS`: a file to which each step is appended, one per line.
 * - `CRASH_POINT_FILE`: a file with the step of the kill: `{"step":…,"occurrence":n}`. The file may appear, change or
 * be removed while the program runs; occurrences count from its last change.
 *
 * Steps have the names of the simulation: `before commit: redeem →intent`, `after commit: …`, `before send:
 * loyaltycash/redeem`, `before the answer: …`. A commit without a transition is named after the tables that it writes.
 */
const STEPS = process.env['CRASH_STEPS']
const CRASH_POINT_FILE = process.env['CRASH_POINT_FILE']

let crashPoint = ''
let passed = 0

function pass(step: string): void {
  if (STEPS) appendFileSync(STEPS, `${step}\n`)
  if (!CRASH_POINT_FILE) return
  const now = existsSync(CRASH_POINT_FILE) ? readFileSync(CRASH_POINT_FILE, 'utf8') : ''
  if (now !== crashPoint) passed = 0
  crashPoint = now
  if (crashPoint === '') return
  const wanted = JSON.parse(crashPoint) as { step: string; occurrence: number }
  if (wanted.step !== step) return
  passed += 1
  if (passed === wanted.occurrence) process.kill(process.pid, 'SIGKILL')
}

let transitions: string[] = []
let writes = new Set<string>()
const commitOf = (): string => (transitions.length > 0 ? transitions : [...writes]).join(' + ')

// Statements are observed too, because the journal’s observer reports only transitions and not the other writes.
const statements = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as {
  run(this: Database.Statement, ...values: unknown[]): Database.RunResult
}
const { run } = statements
statements.run = function runNoted(...values) {
  if (this.source.startsWith('BEGIN')) {
    transitions = []
    writes = new Set()
  }
  const [, verb, table] =
    /^\s*(INSERT|UPDATE|DELETE)\s+(?:INTO\s+|FROM\s+|OR \w+ INTO\s+)?(\w+)/i.exec(this.source) ?? []
  if (verb && table) writes.add(`${verb.toLowerCase()} ${table}`)
  return run.apply(this, values)
}

const nameOf = (path: string): string => path.replace(/\?.*$/, '').replace(/^\/(checkout\/)?/, '')

runProgram({
  // After rejected calls, the throttle (`central/throttle.ts`) drops one preview of three at random. A fixed random
  // value keeps the steps of the next scenario the same.
  luck: { fraction: () => 0.99 },
  observer: {
    wrote: (transition) => {
      transitions.push(transition)
    },
    committing: () => {
      pass(`before commit: ${commitOf()}`)
    },
    committed: () => {
      pass(`after commit: ${commitOf()}`)
    },
  },
  around: (exchange) => async (call, token) => {
    pass(`before send: ${nameOf(call.path)}`)
    const answer = await exchange(call, token)
    pass(`before the answer: ${nameOf(call.path)}`)
    return answer
  },
})
