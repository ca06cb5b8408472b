import { run } from '../packages/lab/rig/process.ts'
import type { CentralAccess } from '../packages/lab/rig/central.ts'

/**
 * Profile of every lane of a scenario or measurement: a production store of a fictional sponsor, with its catalog in
 * the same folder.
 */
export const northstar = ({ url, tokenUrl, memberSignInUrl, revocationUrl, issuer, clientId }: CentralAccess) =>
  ({
    mode: 'production',
    store: { id: 'N101', name: 'Northstar Front Street', taxNumbers: ['GST/HST 123456789 RT0001'] },
    region: 'ON',
    timeZone: 'America/Toronto',
    locales: { default: 'en-CA' },
    program: {
      sponsorCode: 'NRTH',
      vendorId: 'NORTHSTAR',
      acquirerId: 'NORTHSTAR',
      provider: 'NORTHSTAR',
      program: 'CORE',
      locationCode: 'N101',
      // Northstar Markets, a sponsor of the reference services.
      partnerId: '00fb8673-8b42-4835-a84f-3e32248c1e89',
      originClient: 'internal:pos:milepost',
    },
    endpoints: {
      offers: url,
      issuance: url,
      cash: url,
      offerState: url,
      history: url,
      memberSignIn: { url: memberSignInUrl, issuer, revocationUrl },
      token: { url: tokenUrl, clientId },
    },
    catalog: { file: 'catalog.csv' },
  }) as const

/**
 * Runs the installer's provision CLI command with the given standard input; from the sources unless `program` is given.
 */
export async function provision(
  args: readonly string[],
  value: string,
  program = 'backend/operations/provision.ts',
): Promise<void> {
  const { code, stderr: complained } = await run([program, ...args], { typed: `${value}\n` })
  if (code !== 0) throw new Error(`provision ${args[0] ?? ''} failed: ${complained}`)
}
