import { cents, dollarsString } from '../../contracts/money.ts'
import { needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'
import { createOpenDraws, type OpenDraw, type Released } from './open-draws.ts'

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
      readonly kind: 'without'
      readonly store: string
      /** '': lanes that the database does not know. */
      readonly lane: string
      readonly by: string
      readonly why: string
    }

const UNKNOWN_LANE = 'unknown'
const dollars = (amount: number): string => `$${dollarsString(cents(amount))}`
const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`
const cardOf = ({ kind, last4 }: Pick<OpenDraw, 'kind' | 'last4'>): string => `${kind} …${last4}`

/** Answers what is to be said. Rejects in plain words for whoever is not the owner, and where nothing can be done. */
export async function runVouchers(postgres: Postgres, action: VouchersAction): Promise<string> {
  await needOwner(postgres)
  const draws = createOpenDraws(postgres)
  switch (action.kind) {
    case 'list':
      return listed(draws)
    case 'release': {
      const { id, by, why, isLaneLost } = action
      return saidOf(id, await draws.release(id, by, why, isLaneLost))
    }
    case 'without': {
      const { store, lane, by, why } = action
      if (await draws.goOnWithout({ store, lane }, by, why))
        return `Lane ${store}/${lane || UNKNOWN_LANE} is not waited for any more.\n`
      throw new Error(`Lane ${store}/${lane || UNKNOWN_LANE} is not waited for. See: npm run store -- vouchers`)
    }
  }
}

function saidOf(id: string, released: Released): string {
  switch (released.kind) {
    case 'released':
      return `${dollars(released.amountCents)} of …${released.last4} can be spent again.\n`
    case 'again':
      return `${dollars(released.amountCents)} of …${released.last4} had been released before.\n`
    case 'may-be-told':
      throw new Error(
        `Lane ${released.lane} may tell of it yet: start it, and wait a minute. Where it is lost for good: --lost`,
      )
    case 'settled':
      throw new Error(`${id} is not open: it is ${released.state}.`)
    case 'unknown':
      throw new Error(`There is no draw ${id}. See: npm run store -- vouchers`)
  }
}

async function listed(draws: ReturnType<typeof createOpenDraws>): Promise<string> {
  const lines: string[] = []
  const [open, after, awaited] = [await draws.open(), await draws.toldAfter(), await draws.awaited()]
  for (const { store, lane, since } of awaited)
    lines.push(`waits for lane ${store}/${lane || UNKNOWN_LANE} since ${minuteOf(since)}: start it`)
  for (const { id, store, lane, amountCents, since, isLost, ...card } of open)
    lines.push(
      `${id}  ${dollars(amountCents)} of ${cardOf(card)}, reserved at ` +
        `${isLost ? `a lost copy of lane ${store}/${lane}` : `lane ${store}/${lane}, which may tell of it yet`}` +
        ` since ${minuteOf(since)}`,
    )
  for (const { id, store, lane, amountCents, by, why, ...card } of after)
    lines.push(
      `${id}  ${dollars(amountCents)} of ${cardOf(card)} was released by ${by} (${why}), ` +
        `and lane ${store}/${lane} has told that it was paid`,
    )
  for (const { store, last4, sold } of await draws.soldTwice()) {
    const at = sold.map(({ lane, amountCents }) => `${dollars(amountCents)} at lane ${lane}`)
    lines.push(`…${last4} was sold more than once in store ${store}: ${at.join(', ')}. It holds all of it`)
  }
  if (lines.length === 0) return 'Nothing is open: each draw was told or called off, and no lane is waited for.\n'
  if (open.length > 0) lines.push('', LOOK)
  if (awaited.length > 0) lines.push('', GO_ON)
  return `${lines.join('\n')}\n`
}

const LOOK = `Look at the papers of that lane at that time. Where no receipt was paid with the card:
npm run store -- vouchers release ID --by NAME --why TEXT --database URL`
const GO_ON = `Until then no lane takes anything of a card from the store. Where a lane is lost for good:
npm run store -- vouchers without STORE/LANE --by NAME --why TEXT --database URL`
