import { statSync } from 'node:fs'
import { otherLanes } from '../../delivery/updates/running.ts'
import { checkForUpdate, type Checked } from '../../delivery/updates/check.ts'
import type { LaneVersion } from '../../delivery/updates/choose.ts'
import { writeUpdateInstruction, readCheck, readUpdateInstruction } from '../../delivery/updates/get.ts'
import type { Slots } from '../../delivery/updates/slots.ts'
import { otherSlot } from '../../delivery/updates/slots-state.ts'
import { lockFolder } from '../folder-lock.ts'
import { TerminalRefused } from '../terminal-refused.ts'
import type { TranslateUpdates } from './translators.ts'

export interface UpdateContext {
  readonly slots: Slots
  readonly dataFolder: string
  readonly lane: Pick<LaneVersion, 'store' | 'lane'>
  readonly from: string | null
  readonly now: () => Date
}

/** Runs a subcommand of `update`, prints the result and returns the exit code; null for an unknown action. */
export async function runUpdateSubcommand(
  context: UpdateContext,
  action: string | undefined,
  translate: TranslateUpdates,
): Promise<number | null> {
  try {
    return await runAction(context, action, translate)
  } catch (error) {
    // Report a disk error: for example, the lane's user cannot write to a program that root has installed.
    if (!isOfDisk(error)) throw error
    console.error(translate('notWritten', { folder: context.slots.root, why: error.message }))
    return 1
  }
}

const isOfDisk = (error: unknown): error is Error => error instanceof Error && 'syscall' in error

async function runAction(
  context: UpdateContext,
  action: string | undefined,
  translate: TranslateUpdates,
): Promise<number | null> {
  switch (action) {
    case 'status':
      return status(context, translate)
    case 'check':
      return check(context, translate)
    case 'now':
    case 'tonight':
    case 'back':
      return store(context, action, translate)
    default:
      return null
  }
}

function status({ slots, dataFolder }: UpdateContext, translate: TranslateUpdates): number {
  const { good, pending, trial, before, refused, last } = slots.state()
  console.log(translate('runs', { version: slots.versionIn(good) ?? '?' }))
  if (pending !== null) console.log(translate('waits', pending))
  if (trial !== null) console.log(translate('tried', { version: trial.version, starts: String(trial.starts) }))
  if (before !== null) console.log(translate('before', before))
  for (const each of refused) console.log(translate('refused', each))
  if (last !== null) console.log(translate(`last.${last.outcome}`, { ...last, why: last.why ?? '' }))
  for (const folder of otherLanes(slots.folder, dataFolder)) console.log(translate('beside', { folder }))
  const given = readUpdateInstruction(slots.folder)
  if (given?.kind === 'hold') console.log(translate('orders.hold', { until: given.until }))
  else if (given !== null) console.log(translate(`orders.${given.kind}`))
  if (readCheck(slots.folder) !== null) console.log(translate('orders.check'))
  return 0
}

function store({ slots, now }: UpdateContext, kind: 'now' | 'tonight' | 'back', translate: TranslateUpdates): number {
  const { pending, before, good } = slots.state()
  const version = (kind === 'back' ? before : pending)?.version
  const isMissing = kind === 'back' && slots.versionIn(otherSlot(good)) !== version
  if (version === undefined || isMissing) {
    console.error(translate(kind === 'back' ? 'nothingBefore' : 'nothingWaits'))
    return 1
  }
  const at = now().toISOString()
  writeUpdateInstruction(slots.folder, kind === 'tonight' ? { kind, at, by: '' } : { kind, at })
  console.log(translate(kind, { version }))
  return 0
}

/**
 * Whether root would write to a program that belongs to the lane’s user, who could then not remove the downloaded
 * files.
 */
const isRootForUserProgram = (folder: string): boolean => process.getuid?.() === 0 && statSync(folder).uid !== 0

async function check(context: UpdateContext, translate: TranslateUpdates): Promise<number> {
  const { slots, dataFolder, lane, from, now } = context
  if (isRootForUserProgram(slots.folder)) throw new TerminalRefused(translate('notYours', { folder: slots.root }), 2)
  const lock = await lockFolder(dataFolder)
  if ('heldBy' in lock || otherLanes(slots.folder, dataFolder).length > 0) {
    if ('release' in lock) await lock.release()
    writeUpdateInstruction(slots.folder, { kind: 'check', at: now().toISOString() })
    console.log(translate('asked'))
    return 0
  }
  try {
    if (from === null) throw new TerminalRefused(translate('noAddress'), 2)
    const { good } = slots.state()
    const schema = slots.installedIn(slots.folderOf(good))?.manifest.schema ?? null
    const source = { base: from }
    const checked = await checkForUpdate({ slots, own: good, lane: { ...lane, schema }, source, now })
    const isWell = checked.kind === 'newest' || checked.kind === 'waiting' || checked.kind === 'held-back'
    console[isWell ? 'log' : 'error'](messageOf(checked, translate))
    return isWell ? 0 : 1
  } finally {
    await lock.release()
  }
}

const megabytes = (bytes: number): string => String(Math.ceil(bytes / 1_000_000))

function messageOf(checked: Checked, translate: TranslateUpdates): string {
  switch (checked.kind) {
    case 'refused':
      return checked.what === 'channel'
        ? translate(`channel.${checked.why}`)
        : translate(`manifest.${checked.why}`, { version: checked.version })
    case 'no-room':
      return translate('checked.no-room', { free: megabytes(checked.free), needs: megabytes(checked.needs) })
    case 'newest':
    case 'held-back':
      return translate(`checked.${checked.kind}`)
    case 'waiting':
    case 'on-trial':
      return translate(`checked.${checked.kind}`, { version: checked.version })
    case 'unreachable':
      return translate('checked.unreachable', { why: checked.why })
    case 'other-content':
      return translate('checked.other-content', { path: checked.path })
  }
}
