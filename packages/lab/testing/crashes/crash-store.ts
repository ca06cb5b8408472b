import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { startCentral, type Central } from '../../rig/central.ts'

/** SKUs of the items for sale. Neither item is taxed, and two units of miles pay `whole`. */
export const ITEMS = { partial: 'PARTIAL', whole: 'WHOLE' } as const
const CATALOG = `sku,barcode,name_en,name_fr,price,tax_category,department,category
PARTIAL,,Coffee beans,Café en grains,14.99,zero-rated,grocery,
WHOLE,,Gift basket,Panier-cadeau,20.00,zero-rated,grocery,
`
/** Opening balances of every collector, in miles. They are more than the daily limit can redeem. */
export const OPENING = { cash: 10_000, dream: 500 } as const

/** Reference services and a training store with one card per collector. Each scenario takes its own collectors. */
export interface Shop {
  readonly central: Central
  readonly profile: string
  newCollector(): Collector
  folder(name: string): string
  close(): Promise<void>
}

export interface Collector {
  readonly cardId: string
  readonly number: string
}

const ROOT = join(import.meta.dirname, '../../../..')

/** Opens a shop; `source`: folder of the sources whose training profile it uses. */
export async function openShop({
  collectors,
  limits = {},
  source = ROOT,
}: {
  collectors: number
  limits?: Record<string, number>
  source?: string
}): Promise<Shop> {
  const root = mkdtempSync(join(tmpdir(), 'milepost-crashes-'))
  const folder = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true })
    return join(root, name)
  }
  const cast = Array.from({ length: collectors }, (_, index): Collector => ({
    cardId: `c${index}`,
    number: `81${String(index).padStart(9, '0')}`,
  }))
  writeFileSync(
    join(folder('collectors'), 'collectors.yaml'),
    stringify(cast.map(({ number }) => ({ number, ...OPENING }))),
  )
  const training = parse(readFileSync(join(source, 'stores/training.yaml'), 'utf8')) as Record<string, unknown>
  const coupons = ['coupons', 'manufacturerCoupons'].filter((setting) => setting in training)
  const cards = cast.map(({ cardId, number }) => ({ id: cardId, number, label: { 'en-CA': cardId, 'fr-CA': cardId } }))
  writeFileSync(join(root, 'catalog.csv'), CATALOG)
  writeFileSync(
    join(root, 'store.yaml'),
    stringify({
      ...training,
      issuance: { ...(training['issuance'] as object), record: 'non-members' },
      limits,
      ...Object.fromEntries(coupons.map((setting) => [setting, []])),
      // The training offers refer to the training catalog, so they are removed.
      offers: {},
      catalog: { file: 'catalog.csv' },
      training: { cards },
    }),
  )
  const central = await startCentral({ importFrom: folder('collectors') })
  let served = 0
  return {
    central,
    profile: join(root, 'store.yaml'),
    folder,
    newCollector() {
      const next = cast[served]
      if (!next) throw new Error(`the shop has only ${collectors} collectors`)
      served += 1
      return next
    },
    async close() {
      await central.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
