import { silentLine, type Line } from './line.ts'
import { openTerminal } from './terminal.ts'

/**
 * A measured restart with a data folder full of open operations; times in milliseconds since before the database was
 * opened.
 */
export interface Recovered {
  readonly openedMs: number
  /** Time until the end of the journal’s chain is verified and compared with the high-water mark. */
  readonly provedMs: number
  readonly ms: number
  /** Processor time of the restart’s thread, which depends little on other load of the machine. */
  readonly cpuMs: number
  readonly commits: number
  readonly open: number
  readonly escalated: number
}

/** Opens the database and recovers as a start of the terminal does; calls get no response. */
export async function recover(folder: string): Promise<Recovered> {
  const from = performance.now()
  const cpu = process.threadCpuUsage()
  const { checkout, outbox, meter, db, close } = await openTerminal(folder, silentLine)
  const openedMs = performance.now() - from
  const missing = outbox.chain.entriesMissing()
  if (missing) throw new Error(`the journal has lost entries: ${JSON.stringify(missing)}`)
  const provedMs = performance.now() - from
  const { waiting, sending } = outbox.journal.counts()
  await checkout.recover()
  checkout.start()
  const ms = performance.now() - from
  const { user, system } = process.threadCpuUsage(cpu)
  const { commits } = meter.read()
  const escalated =
    db.prepare<[], { count: number }>("SELECT count(*) AS count FROM operation WHERE state = 'escalated'").get()
      ?.count ?? 0
  close()
  return { openedMs, provedMs, ms, cpuMs: (user + system) / 1_000, commits, open: waiting + sending, escalated }
}

/** A measured drain of the queue; times in milliseconds since its start. */
export interface Drained {
  readonly ms: number
  readonly confirmed: number
  /** Memory of the process after garbage collection, in megabytes, at even steps. Empty without `--expose-gc`. */
  readonly heldMb: readonly number[]
}

const HELD_READINGS = 20

function heldMb(collect: () => void): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return Math.round((heapUsed + external) / 104_857.6) / 10
}

/** Starts with a data folder of queued issuances and resolves when `count` of them are confirmed. */
export async function drain(folder: string, line: Line, count: number): Promise<Drained> {
  const held: number[] = []
  const step = Math.ceil(count / HELD_READINGS)
  const { checkout, onSale, close } = await openTerminal(folder, line)
  const confirmed = new Set<string>()
  const done = new Promise<void>((resolve, reject) => {
    onSale(({ id, issuance }) => {
      if (issuance?.state === 'dead' || issuance?.state === 'escalated' || issuance?.state === 'rejected')
        reject(new Error(`an issuance is ${issuance.state}`))
      if (issuance?.state !== 'confirmed') return
      confirmed.add(id)
      if (globalThis.gc && confirmed.size % step === 0) held.push(heldMb(globalThis.gc))
      if (confirmed.size === count) resolve()
    })
  })
  const from = performance.now()
  await checkout.recover()
  checkout.start()
  await done
  const ms = performance.now() - from
  close()
  return { ms, confirmed: confirmed.size, heldMb: held }
}
