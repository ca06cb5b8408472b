import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { brokenBoundaries, mutualPairs, sourcesOf } from './boundaries.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const ROWS: readonly (readonly [rule: string, file: string, forbidden: string, allowed: string])[] = [
  ['contracts import no other module', 'contracts/core/money.ts', '../../backend/core/clock.ts', './ids.ts'],
  ['contracts import no package but zod and lean-qr', 'contracts/sales/sales.ts', 'fastify', 'zod'],
  ['contracts do no input or output', 'contracts/staff/session.ts', 'node:fs', 'zod'],
  [
    'delivery imports only contracts',
    'packages/delivery/bundle-store.ts',
    '../supervisor/places.ts',
    '../../contracts/core/profile-schema.ts',
  ],
  [
    'hardware does not import the backend',
    'hardware/msr/tracks.ts',
    '../../backend/sales/sale/basket.ts',
    '../../contracts/core/ids.ts',
  ],
  ['hardware opens no database', 'hardware/printer/job.ts', 'better-sqlite3', 'serialport'],
  [
    'only the device modules of the backend import hardware',
    'backend/sales/sales.ts',
    '../../hardware/index.ts',
    '../../contracts/core/money.ts',
  ],
  [
    'hardware is imported through its entry',
    'backend/core/devices/hub.ts',
    '../../../hardware/msr/tracks.ts',
    '../../../hardware/index.ts',
  ],
  [
    'the backend does not import the central services',
    'backend/loyalty/services/cash.ts',
    '../../../packages/central/app.ts',
    '../../../contracts/central/cash.ts',
  ],
  ['the backend imports no screen', 'backend/core/http/server.ts', '../../../renderer/main.tsx', '../log.ts'],
  ['the backend runs without Electron', 'backend/main.ts', 'electron', 'fastify'],
  [
    'the backend does not import the lab',
    'backend/sales/sales.ts',
    '../../packages/lab/testing/store.ts',
    './basket.ts',
  ],
  ['areas import downwards only', 'backend/sales/sales.ts', '../payments/vouchers/vouchers.ts', '../catalog/tax.ts'],
  ['the core imports no area', 'backend/core/outbox/journal.ts', '../../sales/sales.ts', '../clock.ts'],
  ['areas do not import the composition', 'backend/day/shifts.ts', '../app.ts', '../sales/drawer.ts'],
  [
    'the screens do not import the backend',
    'renderer/sales/screen/lines.tsx',
    '../../../backend/sales/sale/basket.ts',
    '../../../contracts/sales/sales.ts',
  ],
  [
    'the screens do not import the contracts of the central services',
    'renderer/sales/sale.ts',
    '../../contracts/central/cash.ts',
    '../../contracts/sales/sales.ts',
  ],
  [
    'the screens have no command line',
    'renderer/core/api/client.ts',
    '../../../contracts/core/command-line.ts',
    '../../../contracts/core/ids.ts',
  ],
  ['the screens run in a browser', 'renderer/core/api/client.ts', 'node:fs', 'ky'],
  [
    'the shell does not import the backend',
    'electron/main.ts',
    '../backend/app.ts',
    '../packages/supervisor/places.ts',
  ],
  ['the shell opens no database', 'electron/windows.ts', 'better-sqlite3', 'electron'],
  [
    'the supervisor does not import the backend',
    'packages/supervisor/launcher/main.ts',
    '../../../backend/app.ts',
    '../terminal.ts',
  ],
  ['the supervisor runs without Electron', 'packages/supervisor/launcher/program.ts', 'electron', 'node:path'],
  [
    'the launcher does not import the CLI commands of the source tree',
    'packages/supervisor/launcher/main.ts',
    '../../delivery/commands/check-profile.ts',
    '../../delivery/trust.ts',
  ],
  [
    'the central services do not import the backend',
    'packages/central/cash/cash.ts',
    '../../../backend/loyalty/calls/redeem.ts',
    '../../../contracts/central/cash.ts',
  ],
  [
    'the store server does not import the terminal',
    'packages/store-server/enrolment/enrolment.ts',
    '../../../backend/staff/people.ts',
    '../../delivery/signed.ts',
  ],
  [
    'the conformance suite starts the central services as a process',
    'packages/conformance/conformance.test.ts',
    '../central/app.ts',
    '../lab/rig/central.ts',
  ],
  [
    'the rig does not import the programs that it starts',
    'packages/lab/rig/central.ts',
    '../../central/app.ts',
    '../../../contracts/core/window.ts',
  ],
  ['the rig does not import the lab', 'packages/lab/rig/cashier.ts', '../testing/lane-context.ts', './window.ts'],
  [
    'scenarios start processes and do not import them',
    'e2e/checkout.spec.ts',
    '../backend/app.ts',
    '../contracts/core/money.ts',
  ],
  [
    'benchmarks start processes and do not import them',
    'bench/checkout/checkout.ts',
    '../../packages/central/app.ts',
    '../../contracts/core/money.ts',
  ],
  [
    'scripts start processes and do not import them',
    'scripts/start.ts',
    '../backend/core/profile/profile.ts',
    '../packages/supervisor/supervise.ts',
  ],
]

const FORMS: readonly ((imported: string) => string)[] = [
  (imported) => `import { it } from '${imported}'`,
  (imported) => `import type {\n  It,\n} from '${imported}'`,
  (imported) => `export * from '${imported}'`,
  (imported) => `const it = await import('${imported}')`,
  (imported) => `import '${imported}'`,
]

describe('the check of the boundaries between modules', () => {
  it.each(ROWS)('rejects an import that breaks the rule: %s', (_rule, path, forbidden, allowed) => {
    for (const form of FORMS) {
      expect(brokenBoundaries([{ path, text: form(forbidden) }])).toEqual([
        expect.stringContaining(`${path}: ${forbidden}`),
      ])
      expect(brokenBoundaries([{ path, text: form(allowed) }])).toEqual([])
    }
  })

  it('finds no violation in the sources of the repository', () => {
    expect(brokenBoundaries(sourcesOf(root))).toEqual([])
  })

  it('finds two features that import each other', () => {
    expect(mutualPairs(sourcesOf(root))).toEqual([])
    const text = "import { one } from '../returns/returns.ts'"
    expect(
      mutualPairs([
        { path: 'backend/payments/receipts/receipts.ts', text },
        { path: 'backend/payments/returns/returns.ts', text: text.replaceAll('returns', 'receipts') },
      ]),
    ).toEqual(['backend/payments/receipts ↔ backend/payments/returns'])
  })
})
