import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { MAX_OFFERS_PER_PAGE, OFFER_PATHS, OfferListResponse, type Offer } from '../../contracts/central/offers.ts'
import { startCentral, type Central } from '../../packages/lab/rig/central.ts'
import { COLLECTORS, offersToImport, PARTNER_ID } from './offer-mix.ts'

const ORIGIN_CLIENT = 'internal:pos:milepost'

/**
 * Starts the reference services with this number of offers by one partner in the store’s region. The lane’s client is
 * bound to that partner (feed mapping, specification 1 §4.1), so its offer list has only these offers.
 */
export async function startCentralWithOffers(folder: string, offers: number): Promise<Central> {
  const files = path.join(folder, 'import')
  await mkdir(files, { recursive: true })
  const writeImport = (name: string, entries: readonly object[]): Promise<void> =>
    writeFile(path.join(files, `${name}.json`), JSON.stringify(entries))
  await writeImport('offers', offersToImport(offers, Date.now()))
  await writeImport('feeds', [{ originClient: ORIGIN_CLIENT, parameters: { partner_id: PARTNER_ID } }])
  await writeImport(
    'collectors',
    COLLECTORS.map((number) => ({ number })),
  )
  return startCentral({ folder: path.join(folder, 'central'), importFrom: files, scheme: 'https' })
}

const PageTotal = z.object({ metadata: OfferListResponse.shape.metadata.pick({ total: true }) })

export async function fetchBarePages({ url }: Central): Promise<string[]> {
  const pages: string[] = []
  for (let total = Infinity; pages.length * MAX_OFFERS_PER_PAGE < total;) {
    const page = await pageAt(url, { offset: String(pages.length * MAX_OFFERS_PER_PAGE) })
    pages.push(page)
    ;({ total } = PageTotal.parse(JSON.parse(page)).metadata)
  }
  return pages
}

/** Lists the offers of one type. An offer itself has no field for its type. */
export async function offersOfType({ url }: Central, type: 'buy' | 'spend'): Promise<Offer[]> {
  const offers: Offer[] = []
  for (let total = Infinity; offers.length < total;) {
    const page = OfferListResponse.parse(JSON.parse(await pageAt(url, { type, offset: String(offers.length) })))
    if (page.offers.length === 0)
      throw new Error(`the services returned ${offers.length} of ${total} offers of the type ${type}`)
    offers.push(...page.offers)
    ;({ total } = page.metadata)
  }
  return offers
}

async function pageAt(url: string, query: Readonly<Record<string, string>>): Promise<string> {
  const asked = new URLSearchParams({
    region: 'ON',
    availability: 'in-store',
    limit: String(MAX_OFFERS_PER_PAGE),
    ...query,
  })
  const answer = await fetch(`${url}${OFFER_PATHS.list}?${asked.toString()}`, {
    headers: { 'x-origin-client': ORIGIN_CLIENT, 'accept-language': 'en-US' },
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${OFFER_PATHS.list}: ${answer.status} ${text}`)
  return text
}
