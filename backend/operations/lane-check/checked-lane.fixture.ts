import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import type { LaneCheck } from '../../../contracts/operations/lane-check-page.ts'
import type { LaneCheckId } from '../../../contracts/operations/lane-check.ts'
import type { LaneToCheck } from './lane.ts'
import { runLaneCheck } from './run.ts'
import { laneCheckWords } from './finding.ts'
import { trustFileOf } from '../../../packages/delivery/standing.ts'

const STORES = join(import.meta.dirname, '../../..', 'stores')
export const TRAINING = join(STORES, 'training.yaml')

/** The example's profile in a file of its own, without devices; `change` is laid over it. */
export function profileIn(folder: string, change: object = {}): string {
  const store = parse(readFileSync(join(STORES, 'example.yaml'), 'utf8')) as object
  const file = join(folder, 'store.yaml')
  const lanes = [{ id: '01', deviceId: 'N1-01', devices: {} }]
  writeFileSync(file, stringify({ ...store, lanes, ...change }))
  return file
}

export const endpointsAt = (base: string): Readonly<Record<string, unknown>> => ({
  endpoints: { cash: base, issuance: base, offers: base, token: { url: `${base}/token`, clientId: 'me' } },
})
/** Nobody listens there. */
export const NOWHERE = endpointsAt('https://127.0.0.1:9')

export async function listen(server: Server = createServer()): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port
}

export interface Looked {
  readonly check: LaneCheck
  /** How often it told of itself. */
  readonly told: number
  /** What was found, by part. */
  readonly codes: Readonly<Partial<Record<LaneCheckId, readonly string[]>>>
  /** All of it in English. */
  readonly said: string
}

/** A lane of this machine's, in this process; `change` is what is another than usual. */
export async function look(
  change: Pick<LaneToCheck, 'dataFolder' | 'profileFile'> & Partial<LaneToCheck>,
  deadlineMs?: number,
): Promise<Looked> {
  let told = 0
  const order: LaneToCheck = {
    bundleFile: null,
    laneId: null,
    trustFile: trustFileOf(change.dataFolder),
    environment: {},
    home: homedir(),
    window: { kind: 'unasked' },
    version: '0.0.0-test',
    now: () => new Date(),
    running: null,
    ...change,
  }
  const count = (): void => {
    told += 1
  }
  const check = await runLaneCheck(order, count, ...(deadlineMs === undefined ? [] : [deadlineMs]))
  const words = laneCheckWords('en-CA')
  const codes: Partial<Record<LaneCheckId, readonly string[]>> = {}
  for (const { check: id, findings } of check.parts) codes[id] = findings.map(({ code }) => code)
  return { check, told, codes, said: check.parts.flatMap((part) => words.lines(part)).join('\n') }
}
