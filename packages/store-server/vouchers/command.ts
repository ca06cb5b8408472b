import { VoucherKind } from '../../../contracts/payments/vouchers.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'
import { minuteOf, printable, refused, translatorOf } from '../log.ts'
import { createOpenDraws, type AwaitedStream, type OpenDraw, type Released } from './vouchers.ts'

/** What the owner of a store does about its vouchers. */
export type VouchersAction =
  | { readonly kind: 'list' }
  | {
      readonly kind: 'release'
      readonly id: string
      readonly by: string
      readonly why: string
      readonly isLaneLost: boolean
    }
  | {
      /** All that lay at a lane that was replaced. */
      readonly kind: 'release-lane'
      readonly store: string
      readonly lane: string
      readonly by: string
      readonly why: string
      readonly isLaneLost: boolean
    }
  | {
      readonly kind: 'without'
      readonly store: string
      /** '': lanes that the database does not know. */
      readonly lane: string
      readonly by: string
      readonly why: string
    }

const UNKNOWN_LANE = 'unknown'
const laneOf = ({ store, lane }: Pick<AwaitedStream, 'store' | 'lane'>): string => `${store}/${lane || UNKNOWN_LANE}`

/** Answers what is to be said. Rejects in plain words for whoever is not the owner, and where nothing can be done. */
export async function runVouchers(
  postgres: Postgres,
  action: VouchersAction,
  locale: Locale = FIRST_LOCALE,
): Promise<string> {
  await needOwner(postgres)
  const draws = createOpenDraws(postgres)
  const words = wordsIn(locale)
  switch (action.kind) {
    case 'list':
      return listed(draws, words)
    case 'release': {
      const { id, by, why, isLaneLost } = action
      return saidOf(id, await draws.release(id, by, why, isLaneLost), words)
    }
    case 'release-lane': {
      const { by, why, isLaneLost } = action
      const ids = await draws.stranded(action)
      if (ids.length === 0) throw refused('nothingStranded', { lane: laneOf(action) })
      const said = []
      for (const id of ids) said.push(saidOf(id, await draws.release(id, by, why, isLaneLost), words))
      return said.join('')
    }
    case 'without': {
      const { by, why } = action
      const lane = laneOf(action)
      if (await draws.goOnWithout({ store: action.store, lane: action.lane }, by, why))
        return `${words.say('vouchers.wentOn', { lane })}\n`
      throw refused('notAwaited', { lane })
    }
  }
}

function wordsIn(locale: Locale) {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency: 'CAD' })
  return { say: translatorOf(locale), dollars: (amountCents: number): string => format.format(amountCents / 100) }
}
type Words = ReturnType<typeof wordsIn>

function saidOf(id: string, released: Released, { say, dollars }: Words): string {
  switch (released.kind) {
    case 'released':
    case 'again': {
      const { kind, amountCents } = released
      const last4 = printable(released.last4)
      const key = kind === 'again' ? 'vouchers.spendableBefore' : 'vouchers.spendable'
      return `${say(key, { amount: dollars(amountCents), last4 })}\n`
    }
    case 'may-be-told':
      throw refused(['mayBeTold', 'mayBeToldLost'], { lane: released.lane })
    case 'settled':
      throw refused(SETTLED[released.state], { id })
    case 'unknown':
      throw refused('drawUnknown', { id })
  }
}

const SETTLED = {
  taken: 'drawTaken',
  refused: 'drawRefused',
  cancelled: 'drawCancelled',
  'handed-over': 'drawHandedOver',
} as const

/** A lane of another release may tell of a kind that this server has no word for. */
const isVoucherKind = (kind: string): kind is VoucherKind => VoucherKind.safeParse(kind).success

async function listed(draws: ReturnType<typeof createOpenDraws>, { say, dollars }: Words): Promise<string> {
  const lines: string[] = []
  const [open, after, awaited] = [await draws.open(), await draws.toldAfter(), await draws.awaited()]
  const card = ({ id, kind, last4, amountCents }: Pick<OpenDraw, 'id' | 'kind' | 'last4' | 'amountCents'>) => ({
    id,
    last4: printable(last4),
    amount: dollars(amountCents),
    kind: isVoucherKind(kind) ? say(`vouchers.kind.${kind}`) : printable(kind),
  })
  for (const one of awaited) {
    const waits = say('vouchers.waits', { lane: laneOf(one), since: minuteOf(one.since) })
    const lanes = one.saidBy.join(', ')
    lines.push(lanes === '' ? waits : `${waits} ${say('vouchers.saidBy', { lanes })}`)
  }
  for (const { store, lane, since, isLost, isStranded, leaseUntil, ...draw } of open) {
    const at = { lane: `${store}/${lane}`, since: minuteOf(since) }
    const place = isStranded
      ? say('vouchers.atReplaced', { ...at, until: leaseUntil === null ? '-' : minuteOf(leaseUntil) })
      : say(isLost ? 'vouchers.atLost' : 'vouchers.atLane', at)
    lines.push(`${say('vouchers.reserved', card(draw))} ${place}`)
  }
  for (const { store, lane, by, why, ...draw } of after) {
    const told = say('vouchers.toldAfter', { lane: `${store}/${lane}` })
    lines.push(`${say('vouchers.released', { ...card(draw), by, why })} ${told}`)
  }
  for (const { store, last4, sold } of await draws.soldTwice()) {
    const at = sold.map(({ lane, amountCents }) => say('vouchers.soldAt', { lane, amount: dollars(amountCents) }))
    lines.push(say('vouchers.soldTwice', { last4: printable(last4), store, sold: at.join(', ') }))
  }
  if (lines.length === 0) return `${say('vouchers.none')}\n`
  if (open.length > 0) lines.push('', say('vouchers.look'), say('vouchers.release'))
  if (open.some(({ isStranded }) => isStranded)) lines.push(say('vouchers.releaseLane'))
  if (awaited.length > 0) lines.push('', say('vouchers.held'), say('vouchers.without'))
  return `${lines.join('\n')}\n`
}
