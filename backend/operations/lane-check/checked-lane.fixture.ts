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
import { laneCheckTexts } from './finding.ts'
import { trustFileOf } from '../../../packages/delivery/stored-bundles.ts'

const STORES = join(import.meta.dirname, '../../..', 'stores')
export const TRAINING = join(STORES, 'training.yaml')

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
export const UNREACHABLE = endpointsAt('https://127.0.0.1:9')

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
  readonly changes: number
  readonly codes: Readonly<Partial<Record<LaneCheckId, readonly string[]>>>
  readonly text: string
}

/**
 * Runs the lane check for a lane on this machine, in this process; `change` overrides the default settings of the
 * check.
 */
export async function look(
  change: Pick<LaneToCheck, 'dataFolder' | 'profileFile'> & Partial<LaneToCheck>,
  deadlineMs?: number,
): Promise<Looked> {
  let changes = 0
  const lane: LaneToCheck = {
    bundleFile: null,
    laneId: null,
    trustFile: trustFileOf(change.dataFolder),
    environment: {},
    home: homedir(),
    window: { kind: 'not-checked' },
    version: '0.0.0-test',
    now: () => new Date(),
    running: null,
    ...change,
  }
  const count = (): void => {
    changes += 1
  }
  const check = await runLaneCheck(lane, count, ...(deadlineMs === undefined ? [] : [deadlineMs]))
  const texts = laneCheckTexts('en-CA')
  const codes: Partial<Record<LaneCheckId, readonly string[]>> = {}
  for (const { check: id, findings } of check.parts) codes[id] = findings.map(({ code }) => code)
  return { check, changes, codes, text: check.parts.flatMap((section) => texts.lines(section)).join('\n') }
}
