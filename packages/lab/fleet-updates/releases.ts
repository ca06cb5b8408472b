import path from 'node:path'
import type { Signer } from '../../delivery/keys.ts'
import type { Trusted } from '../../delivery/signed.ts'
import type { Platform } from '../../delivery/updates/formats.ts'
import { publishVersion } from '../../delivery/commands/updates/publish.ts'
import { NOTES, writeProgram } from '../../delivery/commands/updates/testing.ts'

export const PLATFORM: Platform = 'linux-x64-browser'

/**
 * The versions of the simulated fleet, oldest first. `schema`: their database schema; `readsBack`: the oldest schema
 * that they can migrate.
 */
export const VERSIONS = {
  '1.2.0': { schema: 1, readsBack: 1 },
  '1.3.0': { schema: 2, readsBack: 1 },
  '1.4.0': { schema: 3, readsBack: 1 },
  // 1.5.0 cannot migrate the database of 1.2.0: a lane with 1.2.0 updates to 1.4.0 first.
  '1.5.0': { schema: 4, readsBack: 2 },
  '1.5.1': { schema: 4, readsBack: 2 },
} as const
export type SimulatedVersion = keyof typeof VERSIONS

export const isSimulated = (version: string): version is SimulatedVersion => Object.hasOwn(VERSIONS, version)

const migrationsOf = (version: SimulatedVersion): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: VERSIONS[version].schema }, (_, index) => [
      `app/backend/core/db/migrations/${String(index + 1).padStart(4, '0')}_step.sql`,
      `-- step ${index + 1}\n`,
    ]),
  )

export const buildProgram = (folder: string, version: SimulatedVersion): string =>
  writeProgram(path.join(folder, version), version, migrationsOf(version))

export interface ChannelKeys {
  readonly signer: Signer
  readonly trusted: Trusted
}

export async function publishSimulatedVersion(
  { out, programs, now }: { readonly out: string; readonly programs: string; readonly now: Date },
  version: SimulatedVersion,
  channelKeys: ChannelKeys,
): Promise<void> {
  await publishVersion(out, {
    ...channelKeys,
    version,
    programs: new Map([[PLATFORM, buildProgram(programs, version)]]),
    notes: NOTES,
    schema: null,
    readsBack: VERSIONS[version].readsBack,
    // Applies only to the oldest version, which is published first: every lane runs it or a newer one.
    stable: true,
    now,
    onFile: () => undefined,
  })
}
