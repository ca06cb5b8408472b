import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { startCentral, type Central } from '../../rig/central.ts'

const STORES = join(import.meta.dirname, '../../../../stores')
/** Opening balances of every collector, in miles. */
const OPENING = { cash: 10_000, dream: 500 } as const
const Training = z.looseObject({
  store: z.looseObject({ id: z.string() }),
  catalog: z.looseObject({ file: z.string() }),
  lanes: z.array(z.looseObject({ devices: z.looseObject({ cardTerminal: z.unknown() }) })).min(1),
})

export interface StoreShop {
  readonly central: Central
  readonly profile: string
  readonly storeId: string
  readonly lanes: readonly string[]
  readonly cards: readonly string[]
  close(): Promise<void>
}

export async function openStoreShop(
  root: string,
  { lanes: count, cards: cardCount }: { lanes: number; cards: number },
): Promise<StoreShop> {
  const training = Training.parse(parse(readFileSync(join(STORES, 'training.yaml'), 'utf8')))
  const [lane] = training.lanes
  const lanes = Array.from({ length: count }, (_, index) => String(index + 1).padStart(2, '0'))
  const cast = Array.from({ length: cardCount }, (_, index) => ({
    id: `c${index}`,
    number: `81${String(index).padStart(9, '0')}`,
  }))
  copyFileSync(join(STORES, training.catalog.file), join(root, 'catalog.csv'))
  mkdirSync(join(root, 'collectors'))
  writeFileSync(join(root, 'collectors/collectors.yaml'), stringify(cast.map(({ number }) => ({ number, ...OPENING }))))
  const profile = join(root, 'store.yaml')
  writeFileSync(
    profile,
    stringify({
      ...training,
      // The lanes have no card terminal: the simulated one makes a certificate at each start, and no customer uses it.
      lanes: lanes.map((id) => ({
        ...lane,
        id,
        deviceId: `N101-${id}`,
        devices: { ...lane?.devices, cardTerminal: undefined },
      })),
      payments: ['cash', 'card', 'voucher'],
      catalog: { ...training.catalog, file: 'catalog.csv' },
      coupons: [],
      manufacturerCoupons: [],
      offers: {},
      training: { cards: cast.map((card) => ({ ...card, label: { 'en-CA': card.id, 'fr-CA': card.id } })) },
    }),
  )
  const central = await startCentral({ importFrom: join(root, 'collectors') })
  return {
    central,
    profile,
    storeId: training.store.id,
    lanes,
    cards: cast.map(({ id }) => id),
    async close() {
      await central.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
