import { VoucherKind } from '../../../contracts/payments/vouchers.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'
import { minuteOf, printable, refused, translatorOf } from '../log.ts'
import { createOpenDraws, type AwaitedStream, type OpenDraw, type Released } from './vouchers.ts'

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
      /** Lane number; '' for lanes whose numbers the database does not know. */
      readonly lane: string
      readonly by: string
      readonly why: string
    }

const UNKNOWN_LANE = 'unknown'
const laneOf = ({ store, lane }: Pick<AwaitedStream, 'store' | 'lane'>): string => `${store}/${lane || UNKNOWN_LANE}`

/**
 * Lists the vouchers that the owner must decide about, releases a draw or the value at a replaced lane, or ends the
 * wait for a lane. Rejects with a readable error if the database user is not the owner, or the decision is not
 * possible.
 */
export async function runVouchers(
  postgres: Postgres,
  action: VouchersAction,
  locale: Locale = FIRST_LOCALE,
): Promise<string> {
  await needOwner(postgres)
  const draws = createOpenDraws(postgres)
  const texts = textsIn(locale)
  switch (action.kind) {
    case 'list':
      return listed(draws, texts)
    case 'release': {
      const { id, by, why, isLaneLost } = action
      return resultOf(id, await draws.release(id, by, why, isLaneLost), texts)
    }
    case 'release-lane': {
      const { by, why, isLaneLost } = action
      const ids = await draws.stranded(action)
      if (ids.length === 0) throw refused('nothingStranded', { lane: laneOf(action) })
      const lines = []
      for (const id of ids) lines.push(resultOf(id, await draws.release(id, by, why, isLaneLost), texts))
      return lines.join('')
    }
    case 'without': {
      const { by, why } = action
      const lane = laneOf(action)
      if (await draws.endWaitForLane({ store: action.store, lane: action.lane }, by, why))
        return `${texts.translate('vouchers.wentOn', { lane })}\n`
      throw refused('notAwaited', { lane })
    }
  }
}

function textsIn(locale: Locale) {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency: 'CAD' })
  return { translate: translatorOf(locale), dollars: (amountCents: number): string => format.format(amountCents / 100) }
}
type Texts = ReturnType<typeof textsIn>

function resultOf(id: string, released: Released, { translate, dollars }: Texts): string {
  switch (released.kind) {
    case 'released':
    case 'again': {
      const { kind, amountCents } = released
      const last4 = printable(released.last4)
      const key = kind === 'again' ? 'vouchers.spendableBefore' : 'vouchers.spendable'
      return `${translate(key, { amount: dollars(amountCents), last4 })}\n`
    }
    case 'may-be-reported':
      throw refused(['mayBeTold', 'mayBeToldLost'], { lane: released.lane })
    case 'closed':
      throw refused(CLOSED_DRAW_MESSAGES[released.state], { id })
    case 'unknown':
      throw refused('drawUnknown', { id })
  }
}

const CLOSED_DRAW_MESSAGES = {
  taken: 'drawTaken',
  refused: 'drawRefused',
  cancelled: 'drawCancelled',
  'handed-over': 'drawHandedOver',
} as const

/** Returns whether this program has a text for the kind; a lane of another release may send a kind without one. */
const isVoucherKind = (kind: string): kind is VoucherKind => VoucherKind.safeParse(kind).success

async function listed(draws: ReturnType<typeof createOpenDraws>, { translate, dollars }: Texts): Promise<string> {
  const lines: string[] = []
  const [open, after, awaited] = [await draws.open(), await draws.lateReports(), await draws.awaited()]
  const card = ({ id, kind, last4, amountCents }: Pick<OpenDraw, 'id' | 'kind' | 'last4' | 'amountCents'>) => ({
    id,
    last4: printable(last4),
    amount: dollars(amountCents),
    kind: isVoucherKind(kind) ? translate(`vouchers.kind.${kind}`) : printable(kind),
  })
  for (const one of awaited) {
    const waits = translate('vouchers.waits', { lane: laneOf(one), since: minuteOf(one.since) })
    const lanes = one.saidBy.join(', ')
    lines.push(lanes === '' ? waits : `${waits} ${translate('vouchers.saidBy', { lanes })}`)
  }
  for (const { store, lane, since, isLost, isStranded, leaseUntil, ...draw } of open) {
    const at = { lane: `${store}/${lane}`, since: minuteOf(since) }
    const place = isStranded
      ? translate('vouchers.atReplaced', { ...at, until: leaseUntil === null ? '-' : minuteOf(leaseUntil) })
      : translate(isLost ? 'vouchers.atLost' : 'vouchers.atLane', at)
    lines.push(`${translate('vouchers.reserved', card(draw))} ${place}`)
  }
  for (const { store, lane, by, why, ...draw } of after) {
    const report = translate('vouchers.toldAfter', { lane: `${store}/${lane}` })
    lines.push(`${translate('vouchers.released', { ...card(draw), by, why })} ${report}`)
  }
  for (const { store, last4, sold } of await draws.soldTwice()) {
    const at = sold.map(({ lane, amountCents }) => translate('vouchers.soldAt', { lane, amount: dollars(amountCents) }))
    lines.push(translate('vouchers.soldTwice', { last4: printable(last4), store, sold: at.join(', ') }))
  }
  if (lines.length === 0) return `${translate('vouchers.none')}\n`
  if (open.length > 0) lines.push('', translate('vouchers.look'), translate('vouchers.release'))
  if (open.some(({ isStranded }) => isStranded)) lines.push(translate('vouchers.releaseLane'))
  if (awaited.length > 0) lines.push('', translate('vouchers.held'), translate('vouchers.without'))
  return `${lines.join('\n')}\n`
}
