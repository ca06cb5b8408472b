import { spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openWindowAt, windowHeaders } from '../../../contracts/core/window.ts'
import { z } from 'zod'
import { EarlierSales } from '../../../contracts/day/search.ts'
import { type LaneStart, systemdUnit } from '../autostart.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const at = (...segments: string[]): string => path.join(root, ...segments)
const KILLS = process.env['MILEPOST_CAMPAIGN'] === '1' ? 20 : 3
const LONGEST_SELLING_MS = 1_500
const MAX_LIVE_START_MS = 2_000
const DETERGENT = '1021'

/**
 * A shell loop in place of systemd, which does not run in containers: restarts the command of the systemd unit unless
 * it ends with one of the unit's final exit codes. The delay is a tenth of a second instead of the unit's.
 */
const LOOP = `
while :; do
  "$@" & echo "$!" >"$PID_FILE"
  wait "$!"; code=$?
  case " $FINAL " in *" $code "*) exit "$code";; esac
  sleep 0.1
done`

function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)] as const)
  const below = (parent: number): number[] =>
    parents.filter(([, of]) => of === parent).flatMap(([child]) => [child, ...below(child)])
  return [pid, ...below(pid)]
}

function parentOf(pid: string): number | null {
  try {
    // In /proc/PID/stat, the name of the process may contain any character; the state and the parent's id follow the
    // name.
    return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return null
  }
}

function killAll(pid: number): void {
  for (const one of descendantsOf(pid))
    try {
      process.kill(one, 'SIGKILL')
    } catch {}
}

interface Loop {
  nextLink(): Promise<URL>
  pid(): number
}

function startLoop(start: LaneStart, folder: string): Loop {
  const unit = systemdUnit(start, 252)
  const final = /^RestartPreventExitStatus=(.+)$/m.exec(unit)?.[1] ?? ''
  const pidFile = path.join(folder, 'pid')
  const loop = spawn('sh', ['-c', LOOP, 'sh', ...start.argv], {
    cwd: start.workingFolder,
    // The shell's error output is ignored, because it reports every killed process.
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, FINAL: final, PID_FILE: pidFile, DISPLAY: '', WAYLAND_DISPLAY: '' },
  })
  const pid = (): number => Number(readFileSync(pidFile, 'utf8'))
  onTestFinished(() => {
    loop.kill('SIGKILL')
    killAll(pid())
  })
  const links: URL[] = []
  let notify = (): void => undefined
  createInterface({ input: loop.stdout }).on('line', (line) => {
    const address = /open (http:\/\/127\.0\.0\.1:\d+\/#launch=\S+) /.exec(line)?.[1]
    if (address !== undefined) links.push(new URL(address))
    notify()
  })
  return {
    pid,
    async nextLink() {
      for (;;) {
        const link = links.shift()
        if (link !== undefined) return link
        if (loop.exitCode !== null) throw new Error(`the loop gave up with ${loop.exitCode}`)
        await new Promise<void>((resolve) => {
          notify = resolve
        })
      }
    },
  }
}

const SaleAnswer = z.object({
  sale: z.object({
    id: z.string(),
    version: z.int(),
    state: z.string(),
    totals: z.object({ cashDueCents: z.int() }),
  }),
})

async function signIn(link: URL) {
  const { origin } = link
  const shown = await windowHeaders(origin, await openWindowAt(origin, link.href))
  const call = async (method: 'GET' | 'POST', where: string, body?: object): Promise<unknown> => {
    const headers = { ...shown, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const response = await fetch(origin + where, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    if (!response.ok) throw new Error(`${where}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? null : response.json()
  }
  await call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  return call
}
type Call = Awaited<ReturnType<typeof signIn>>

async function sell(call: Call): Promise<string> {
  const rung = SaleAnswer.parse(await call('POST', '/api/sales/current/lines', { sku: DETERGENT, quantity: 1 })).sale
  const tender = { version: rung.version, kind: 'cash', tenderedCents: rung.totals.cashDueCents }
  const { sale } = SaleAnswer.parse(await call('POST', `/api/sales/${rung.id}/tenders`, tender))
  expect(sale.state).toBe('completed')
  return sale.id
}

async function allSales(call: Call): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | null = ''; after !== null;) {
    const page = EarlierSales.parse(await call('GET', `/api/sales/earlier?limit=50${after && `&after=${after}`}`))
    ids.push(...page.sales.map(({ id }) => id))
    after = page.next
  }
  return ids
}

test(`a lane killed ${KILLS} times while it sells restarts each time and has every sale once`, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-restarts-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  })
  const dataFolder = path.join(folder, 'data')
  const lane = ['--profile', at('stores', 'training.yaml'), '--data', dataFolder, '--no-window']
  const loop = startLoop(
    { argv: [process.execPath, at('scripts', 'start.ts'), ...lane], workingFolder: root, dataFolder },
    folder,
  )
  const paid: string[] = []
  for (let kills = 0; kills < KILLS;) {
    if (randomInt(4) === 0) {
      await delay(randomInt(MAX_LIVE_START_MS))
      killAll(loop.pid())
    }
    const link = await loop.nextLink()
    const selling = Promise.withResolvers<void>()
    const dead = selling.promise
      .then(() => delay(randomInt(LONGEST_SELLING_MS)))
      .then(() => {
        killAll(loop.pid())
      })
    const before = paid.length
    try {
      const call = await signIn(link)
      for (;;) {
        paid.push(await sell(call))
        selling.resolve()
      }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      selling.resolve()
    }
    await dead
    if (paid.length > before) kills += 1
  }
  const call = await signIn(await loop.nextLink())
  paid.push(await sell(call))
  const saved = await allSales(call)
  expect(saved).toEqual(expect.arrayContaining(paid))
  expect(new Set(saved).size).toBe(saved.length)
  expect(saved.length - paid.length).toBeLessThanOrEqual(KILLS)
  console.log(`${KILLS} kills, ${paid.length} sales paid, ${saved.length} stored`)
}, 600_000)
