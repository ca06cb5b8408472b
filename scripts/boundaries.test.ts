import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

/**
 * Plants one forbidden and one allowed import at each boundary, in an empty tree of its own under the
 * same lint configuration, and reads what the linter says. A boundary whose rule stopped biting fails here.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const OXLINT = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint')

interface Boundary {
  readonly law: string
  readonly file: string
  readonly forbidden: string
  readonly allowed: string
}
const BOUNDARIES: readonly Boundary[] = [
  {
    law: 'contracts import no other module',
    file: 'contracts/money.ts',
    forbidden: '../backend/clock.ts',
    allowed: './miles.ts',
  },
  {
    law: 'contracts import no other module, one folder down',
    file: 'contracts/api/sales.ts',
    forbidden: '../../central/main.ts',
    allowed: '../central/cash.ts',
  },
  {
    law: 'contracts import no other module, two folders down',
    file: 'contracts/i18n/en-CA/screens.ts',
    forbidden: '../../../renderer/main.tsx',
    allowed: '../../locales.ts',
  },
  { law: 'contracts import no package but zod', file: 'contracts/api/offers.ts', forbidden: 'fastify', allowed: 'zod' },
  { law: 'contracts do no input or output', file: 'contracts/api/session.ts', forbidden: 'node:fs', allowed: 'zod' },
  {
    law: 'delivery imports contracts and no other module',
    file: 'delivery/shelf.ts',
    forbidden: '../electron/places.ts',
    allowed: '../contracts/profile-schema.ts',
  },
  {
    law: 'hardware knows nothing of the backend',
    file: 'hardware/msr/track.ts',
    forbidden: '../../backend/domain/basket.ts',
    allowed: '../../contracts/ids.ts',
  },
  {
    law: 'hardware opens no database',
    file: 'hardware/printer/jobs.ts',
    forbidden: 'better-sqlite3',
    allowed: 'serialport',
  },
  {
    law: 'the backend outside of devices reaches no hardware',
    file: 'backend/features/sales/service.ts',
    forbidden: '../../../hardware/index.ts',
    allowed: '../../../contracts/money.ts',
  },
  {
    law: 'backend/devices reaches hardware by its public entry only',
    file: 'backend/devices/hub.ts',
    forbidden: '../../hardware/msr/track.ts',
    allowed: '../../hardware/index.ts',
  },
  {
    law: 'the backend imports nothing of the central services',
    file: 'backend/app.ts',
    forbidden: '../central/app.ts',
    allowed: './central/transport.ts',
  },
  {
    law: 'the backend imports nothing of the central services, one folder down',
    file: 'backend/outbox/keyed-mutex.ts',
    forbidden: '../../central/ledger/ledger.ts',
    allowed: '../central/transport.ts',
  },
  {
    law: 'the backend imports nothing of the central services, from its clients',
    file: 'backend/central/cash.ts',
    forbidden: '../../central/cash/routes.ts',
    allowed: '../../contracts/central/cash.ts',
  },
  {
    law: 'the backend imports nothing of the central services, two folders down',
    file: 'backend/features/member/service.ts',
    forbidden: '../../../central/cash/rules.ts',
    allowed: '../../central/cash.ts',
  },
  {
    law: 'the backend imports no screen',
    file: 'backend/http/server.ts',
    forbidden: '../../renderer/main.tsx',
    allowed: '../log.ts',
  },
  { law: 'the backend runs without Electron', file: 'backend/main.ts', forbidden: 'electron', allowed: 'fastify' },
  {
    law: 'backend/domain reads no file',
    file: 'backend/domain/basket.ts',
    forbidden: 'node:fs',
    allowed: 'temporal-polyfill/implementation',
  },
  {
    law: 'backend/domain opens no connection',
    file: 'backend/domain/tax.ts',
    forbidden: 'node:net',
    allowed: './basket.ts',
  },
  {
    law: 'backend/domain opens no database',
    file: 'backend/domain/redemption.ts',
    forbidden: 'better-sqlite3',
    allowed: '../../contracts/miles.ts',
  },
  {
    law: 'backend/domain knows no feature',
    file: 'backend/domain/receipt.ts',
    forbidden: '../features/sales/repository.ts',
    allowed: '../../contracts/receipt.ts',
  },
  {
    law: 'the screens import nothing of the backend',
    file: 'renderer/features/sale/screen.tsx',
    forbidden: '../../../backend/domain/basket.ts',
    allowed: '../../../contracts/api/sales.ts',
  },
  {
    law: 'the screens do not know the wire of the central services',
    file: 'renderer/state/sale.ts',
    forbidden: '../../contracts/central/cash.ts',
    allowed: '../../contracts/api/sales.ts',
  },
  { law: 'the screens run in a browser', file: 'renderer/api/client.ts', forbidden: 'node:fs', allowed: 'ky' },
  {
    law: 'the shell starts the backend and does not import it',
    file: 'electron/main.ts',
    forbidden: '../backend/app.ts',
    allowed: '../contracts/profile.ts',
  },
  { law: 'the shell opens no database', file: 'electron/windows.ts', forbidden: 'better-sqlite3', allowed: 'electron' },
  {
    law: 'the launcher starts the backend and does not import it',
    file: 'launcher/run-terminal.ts',
    forbidden: '../backend/app.ts',
    allowed: '../electron/terminal.ts',
  },
  {
    law: 'the launcher knows nothing of the commands of a checkout',
    file: 'launcher/main.ts',
    forbidden: '../scripts/check-profile.ts',
    allowed: '../delivery/trust.ts',
  },
  {
    law: 'the launcher runs without Electron',
    file: 'launcher/program.ts',
    forbidden: 'electron',
    allowed: '../electron/places.ts',
  },
  {
    law: 'the central services import nothing of the backend',
    file: 'central/cash/routes.ts',
    forbidden: '../../backend/domain/redemption.ts',
    allowed: '../../contracts/central/cash.ts',
  },
  {
    law: 'the central services import nothing of the suite that checks them',
    file: 'central/app.ts',
    forbidden: '../conformance/run.ts',
    allowed: './clock.ts',
  },
  {
    law: 'the store server imports nothing of the terminal',
    file: 'store-server/enrolment/service.ts',
    forbidden: '../../backend/features/staff/service.ts',
    allowed: '../../delivery/signed.ts',
  },
  {
    law: 'the backend imports nothing of the store server',
    file: 'backend/enrolment.ts',
    forbidden: '../store-server/app.ts',
    allowed: '../delivery/signed.ts',
  },
  {
    law: 'the conformance suite imports of the central services their start alone',
    file: 'conformance/testing/own-services.ts',
    forbidden: '../../central/clock.ts',
    allowed: '../../central/app.ts',
  },
  {
    law: 'the conformance suite knows nothing of the terminal',
    file: 'conformance/checks/headers.ts',
    forbidden: '../../backend/domain/redemption.ts',
    allowed: '../../contracts/central/cash.ts',
  },
  {
    law: 'scenarios start processes and import none of them',
    file: 'e2e/checkout.spec.ts',
    forbidden: '../backend/app.ts',
    allowed: '../contracts/money.ts',
  },
  {
    law: 'benchmarks start processes and import none of them',
    file: 'bench/checkout.ts',
    forbidden: '../central/app.ts',
    allowed: '../contracts/money.ts',
  },
  {
    law: 'scripts start processes and import none of them',
    file: 'scripts/release.ts',
    forbidden: '../backend/profile.ts',
    allowed: '../electron/supervise.ts',
  },
]

const Report = z.object({
  diagnostics: z.array(
    z.object({
      code: z.string(),
      message: z.string(),
      filename: z.string(),
      help: z.string().optional(),
      labels: z.array(z.object({ span: z.object({ line: z.int() }) })),
    }),
  ),
})
let tree: string
let found: z.infer<typeof Report>['diagnostics']
const linesOf = (file: string, rule: string): number[] =>
  [
    ...new Set(
      found.filter((one) => one.filename === file && one.code === rule).map((one) => one.labels[0]?.span.line ?? 0),
    ),
  ].sort((a, b) => a - b)

function plant(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(tree, file)), { recursive: true })
  writeFileSync(path.join(tree, file), text)
}

beforeAll(async () => {
  tree = mkdtempSync(path.join(tmpdir(), 'milepost-boundaries-'))
  const config = JSON.parse(readFileSync(path.join(root, '.oxlintrc.json'), 'utf8')) as Record<string, unknown>
  // The offending files import what is not there; rules about types have nothing to say about them.
  plant('.oxlintrc.json', JSON.stringify({ ...config, $schema: undefined, options: { typeAware: false } }))
  const byFile = Map.groupBy(BOUNDARIES, ({ file }) => file)
  for (const [file, [boundary]] of byFile) {
    if (boundary === undefined) continue
    plant(
      file,
      [
        `import { a } from '${boundary.allowed}'`,
        `import { b } from '${boundary.forbidden}'`,
        `import type { c } from '${boundary.forbidden}'`,
        `export * from '${boundary.forbidden}'`,
        `export const d = async (x: c): Promise<unknown> => [a, b, x, await import('${boundary.forbidden}')]`,
        '',
      ].join('\n'),
    )
  }
  plant('backend/features/tenders/a.ts', "import { b } from './b.ts'\nexport const a = (): unknown => b\n")
  plant('backend/features/tenders/b.ts', "import { a } from './a.ts'\nexport const b = (): unknown => a\n")
  plant('backend/features/tenders/c.ts', 'export const c = (x: any): unknown => x!.y\n')
  const output = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      [OXLINT, '--format', 'json', '.'],
      { cwd: tree, maxBuffer: 20_000_000 },
      (error, stdout) => {
        if (error !== null && stdout === '') reject(error)
        else resolve(stdout)
      },
    )
  })
  found = Report.parse(JSON.parse(output)).diagnostics
})
afterAll(() => {
  rmSync(tree, { recursive: true, force: true })
})

describe('the linter keeps the boundaries of the modules', () => {
  it('with one offending file per boundary', () => {
    expect(new Set(BOUNDARIES.map(({ file }) => file)).size).toBe(BOUNDARIES.length)
  })
  it.each(BOUNDARIES)('$law', ({ file }) => {
    // Line 1 is the allowed import; 2 to 5 are the same forbidden one as a value, a type, a re-export and a dynamic
    // import.
    expect(linesOf(file, 'eslint(no-restricted-imports)')).toEqual([2, 3, 4, 5])
  })
  it('finds two files that import each other', () => {
    expect(found.filter((one) => one.code === 'import(no-cycle)').map((one) => one.filename)).toContain(
      'backend/features/tenders/a.ts',
    )
  })
  it('refuses `any` and the non-null assertion', () => {
    expect(linesOf('backend/features/tenders/c.ts', 'typescript(no-explicit-any)')).toEqual([1])
    expect(linesOf('backend/features/tenders/c.ts', 'typescript(no-non-null-assertion)')).toEqual([1])
  })
})
