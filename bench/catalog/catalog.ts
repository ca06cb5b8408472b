import path from 'node:path'
import type { z } from 'zod'
import { CatalogState } from '../../contracts/catalog/catalog.ts'
import { startCentral } from '../../packages/lab/rig/central.ts'
import { FIRST_PIN, MANAGER } from '../../e2e/lane.ts'
import { openWire, type Wire } from '../../e2e/pty.ts'
import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { openApiClient, type ApiClient } from '../checkout/api-client.ts'
import { now } from '../checkout/clock.ts'
import { catalogCsv, itemAt } from '../checkout/items.ts'
import { startBenchLane } from '../checkout/lane.ts'
import { summarise } from '../statistics.ts'

const OPTIONS = {
  items: { default: 100_000, about: 'items in the catalog, and in the imported file' },
  scans: { default: 300, about: 'scans before the import' },
  lines: { default: 5, about: 'scans of each sale' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>

/** Limit from the first byte of the catalog file to the preview of the import, in milliseconds. */
const LIMIT_MS = 10_000
/** Pause between two scans in milliseconds: no cashier scans faster. */
const BETWEEN_SCANS_MS = 20

export const catalog: Benchmark<typeof OPTIONS> = {
  name: 'catalog',
  about: 'the duration of a manager’s import, and its effect on scans',
  options: OPTIONS,
  run: measureCatalog,
}

async function measureCatalog(run: Run): Promise<Measured> {
  const { settings, folder, log, atEnd } = run
  const central = await startCentral({ folder: path.join(folder, 'central'), scheme: 'https' })
  atEnd(() => central.stop())
  const wire = await openWire(path.join(folder, 'scanner'))
  atEnd(() => wire.close())
  log(`importing ${settings.items} items at the start`)
  const lane = await startBenchLane({
    folder,
    central,
    scanner: wire.path,
    items: settings.items,
    pastSales: 0,
    screens: path.resolve('build/renderer'),
    people: [MANAGER],
  })
  atEnd(() => lane.running.stop('SIGKILL'))
  const { url } = lane.running.ready
  const client = await openApiClient(lane.running.ready, { id: MANAGER.id, pin: FIRST_PIN, newPin: MANAGER.pin })
  atEnd(async () => {
    client.close()
  })
  const ask = manager(url, client)
  const scan = scanner(run, client, wire)

  log('scanning without an import')
  await scan(settings.lines * 4)
  const before = await scan(settings.scans)
  log('scanning while a file is read and compared')
  // The second file changes every price, so that the preview lists every item as a difference.
  const file = catalogCsv(settings.items).replaceAll(
    /,(\d+)\.(\d\d),/g,
    (_all, dollars, cents) => `,${Number(dollars) + 1}.${cents},`,
  )
  const begun = now()
  await ask.upload(file)
  const during: number[] = []
  let state = await ask.state()
  while (state.import?.phase === 'working') {
    during.push(...(await scan(settings.lines)))
    state = await ask.state()
  }
  const previewMs = now() - begun
  if (state.import?.phase !== 'ready') throw new Error(`the import is ${state.import?.phase ?? 'gone'}`)
  const applied = now()
  await client.post('/api/catalog/import/apply', { id: state.import.id })
  const applyMs = now() - applied
  const after = await scan(settings.scans)
  const undone = now()
  await client.post('/api/catalog/undo-import', {})
  const undoMs = now() - undone
  return {
    measurements: [
      { name: 'wire to event, before an import', role: 'peer', samples: before },
      { name: 'wire to event, during an import', role: 'result', samples: during },
      { name: 'wire to event, after the import', role: 'peer', samples: after },
    ],
    targets: [
      {
        name: 'file to preview',
        unit: 'ms',
        bound: 'below',
        limit: LIMIT_MS,
        value: Math.round(previewMs),
        low: Math.round(previewMs),
        high: Math.round(previewMs),
      },
    ],
    facts: {
      'preview, ms': Math.round(previewMs),
      'apply, ms': Math.round(applyMs),
      'undo, ms': Math.round(undoMs),
      'first start with the import, ms': Math.round(lane.firstStartMs),
      'p95 before, during, after, ms': [before, during, after]
        .map((samples) => summarise(samples).p95.toFixed(1))
        .join(', '),
    },
    notes: ['Every price in the file changes. On two cores, the import has one to itself.'],
  }
}

function manager(url: string, client: ApiClient) {
  const good = async (response: Response): Promise<Response> => {
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`)
    return response
  }
  return {
    upload: async (file: string) =>
      good(
        await fetch(`${url}/api/catalog/import?name=prices.csv`, {
          method: 'POST',
          headers: { ...client.headers, 'content-type': 'application/octet-stream' },
          body: file,
        }),
      ),
    state: async (): Promise<z.infer<typeof CatalogState>> =>
      CatalogState.parse(await client.get('/api/catalog/state')),
  }
}

function scanner({ settings, signal }: Run, client: ApiClient, wire: Wire) {
  let scans = 0
  return async (count: number): Promise<number[]> => {
    const took: number[] = []
    for (let index = 0; index < count; index += 1) {
      signal.throwIfAborted()
      const { barcode, name } = itemAt((scans * 7919) % settings.items)
      scans += 1
      const received = client.follow((event) =>
        event.type === 'sale-changed' && event.cause === 'scan' && event.sale.lines.at(-1)?.name['en-CA'] === name
          ? event.sale
          : null,
      )
      const written = now()
      await wire.send(`]E0${barcode}\r`)
      const { at, value: sale } = await received
      took.push(at - written)
      if (scans % settings.lines === 0) await client.payByCard(sale)
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_SCANS_MS))
    }
    return took
  }
}
