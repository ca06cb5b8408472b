import { statSync } from 'node:fs'
import { lanesBeside } from '../../delivery/updates/beside.ts'
import { checkForUpdate, type Checked } from '../../delivery/updates/check.ts'
import type { LaneNow } from '../../delivery/updates/choose.ts'
import { giveOrder, readCheck, readOrder } from '../../delivery/updates/get.ts'
import type { Slots } from '../../delivery/updates/slots.ts'
import { otherSlot } from '../../delivery/updates/slots-state.ts'
import { lockFolder } from '../folder-lock.ts'
import { TerminalRefused } from '../refused.ts'
import type { SayOfUpdates } from './words.ts'

export interface UpdateOrders {
  readonly slots: Slots
  readonly dataFolder: string
  readonly lane: Pick<LaneNow, 'store' | 'lane'>
  /** Where updates are published; null: as the terminal’s profile says. */
  readonly from: string | null
  readonly now: () => Date
}

/** Each says what became of it, and answers the exit code; null where it is no such order. */
export async function orderUpdate(
  orders: UpdateOrders,
  action: string | undefined,
  say: SayOfUpdates,
): Promise<number | null> {
  try {
    return await obey(orders, action, say)
  } catch (error) {
    // As one that was installed by root is for its user.
    if (!isOfDisk(error)) throw error
    console.error(say('notWritten', { folder: orders.slots.root, why: error.message }))
    return 1
  }
}

const isOfDisk = (error: unknown): error is Error => error instanceof Error && 'syscall' in error

async function obey(orders: UpdateOrders, action: string | undefined, say: SayOfUpdates): Promise<number | null> {
  switch (action) {
    case 'status':
      return status(orders, say)
    case 'check':
      return check(orders, say)
    case 'now':
    case 'tonight':
    case 'back':
      return order(orders, action, say)
    default:
      return null
  }
}

function status({ slots, dataFolder }: UpdateOrders, say: SayOfUpdates): number {
  const { good, pending, trial, before, refused, last } = slots.state()
  console.log(say('runs', { version: slots.versionIn(good) ?? '?' }))
  if (pending !== null) console.log(say('waits', pending))
  if (trial !== null) console.log(say('tried', { version: trial.version, starts: String(trial.starts) }))
  if (before !== null) console.log(say('before', before))
  for (const each of refused) console.log(say('refused', each))
  if (last !== null) console.log(say(`last.${last.outcome}`, { ...last, why: last.why ?? '' }))
  for (const folder of lanesBeside(slots.folder, dataFolder)) console.log(say('beside', { folder }))
  const given = readOrder(slots.folder)
  if (given?.kind === 'hold') console.log(say('orders.hold', { until: given.until }))
  else if (given !== null) console.log(say(`orders.${given.kind}`))
  if (readCheck(slots.folder) !== null) console.log(say('orders.check'))
  return 0
}

function order({ slots, now }: UpdateOrders, kind: 'now' | 'tonight' | 'back', say: SayOfUpdates): number {
  const { pending, before, good } = slots.state()
  const version = (kind === 'back' ? before : pending)?.version
  const isGone = kind === 'back' && slots.versionIn(otherSlot(good)) !== version
  if (version === undefined || isGone) {
    console.error(say(kind === 'back' ? 'nothingBefore' : 'nothingWaits'))
    return 1
  }
  const at = now().toISOString()
  giveOrder(slots.folder, kind === 'tonight' ? { kind, at, by: '' } : { kind, at })
  console.log(say(kind, { version }))
  return 0
}

/** As root for a program of its lane’s user: what is fetched would be root’s, and its user could not remove it. */
const isUsersAndWeAreRoot = (folder: string): boolean => process.getuid?.() === 0 && statSync(folder).uid !== 0

/** By the terminal that runs here; else by this command, while none can be started. */
async function check(orders: UpdateOrders, say: SayOfUpdates): Promise<number> {
  const { slots, dataFolder, lane, from, now } = orders
  if (isUsersAndWeAreRoot(slots.folder)) throw new TerminalRefused(say('notYours', { folder: slots.root }), 2)
  const lock = await lockFolder(dataFolder)
  if ('heldBy' in lock || lanesBeside(slots.folder, dataFolder).length > 0) {
    if ('release' in lock) await lock.release()
    giveOrder(slots.folder, { kind: 'check', at: now().toISOString() })
    console.log(say('asked'))
    return 0
  }
  try {
    if (from === null) throw new TerminalRefused(say('noAddress'), 2)
    const { good } = slots.state()
    const schema = slots.standing(slots.folderOf(good))?.manifest.schema ?? null
    const source = { base: from }
    const checked = await checkForUpdate({ slots, own: good, lane: { ...lane, schema }, source, now })
    const isWell = checked.kind === 'newest' || checked.kind === 'waiting' || checked.kind === 'held-back'
    console[isWell ? 'log' : 'error'](wordsOf(checked, say))
    return isWell ? 0 : 1
  } finally {
    await lock.release()
  }
}

const megabytes = (bytes: number): string => String(Math.ceil(bytes / 1_000_000))

function wordsOf(checked: Checked, say: SayOfUpdates): string {
  switch (checked.kind) {
    case 'refused':
      return checked.what === 'channel'
        ? say(`channel.${checked.why}`)
        : say(`manifest.${checked.why}`, { version: checked.version })
    case 'no-room':
      return say('checked.no-room', { free: megabytes(checked.free), needs: megabytes(checked.needs) })
    case 'newest':
    case 'held-back':
      return say(`checked.${checked.kind}`)
    case 'waiting':
    case 'on-trial':
      return say(`checked.${checked.kind}`, { version: checked.version })
    case 'unreachable':
      return say('checked.unreachable', { why: checked.why })
    case 'other-content':
      return say('checked.other-content', { path: checked.path })
  }
}
