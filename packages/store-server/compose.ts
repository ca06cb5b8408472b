import type { FastifyBaseLogger } from 'fastify'
import { resolve } from 'node:path'
import { isScraped } from '../delivery/metrics-registry.ts'
import { enrolment as enrolmentFeature } from './enrolment/enrolment.ts'
import { storeFeatures } from './features.ts'
import type { Feature } from './http/server.ts'
import type { LaneGuard } from './lanes/guard.ts'
import { readSealKey } from './lanes/key-files.ts'
import type { StoreCounts } from './metrics/counts.ts'
import { metrics as metricsFeature } from './metrics/metrics.routes.ts'
import type { CertificateEnds } from './metrics/metrics.ts'
import type { ServeCommand } from './options.ts'
import type { Postgres } from './db/postgres.ts'
import { type UpdateKeys, updates as updatesFeature } from './updates/updates.ts'
import { programVersion } from './log.ts'

/** What is written of the server while it serves, and what is counted. */
export interface Watched {
  readonly log: FastifyBaseLogger
  readonly counts: StoreCounts
}

export interface Served extends Watched {
  readonly command: Pick<ServeCommand, 'data' | 'enrolment' | 'updates'>
  readonly keys: UpdateKeys | null
  readonly postgres: Postgres
  /** When the certificate of the server and that of its own authority end. */
  readonly ends: CertificateEnds
  /** PEM of the store's own authority; null: it has none. */
  readonly authority: string | null
  readonly proofKey: Uint8Array
  readonly guard: LaneGuard
}

/** Everything that a server of this command serves. */
export async function featuresOf({
  command,
  keys,
  postgres,
  log,
  counts,
  ends,
  authority,
  proofKey,
  guard,
}: Served): Promise<Feature[]> {
  const { data, enrolment, updates } = command
  const { identify } = guard
  return [
    ...(enrolment ? [enrolmentFeature({ postgres })] : []),
    ...(updates && keys
      ? [
          updatesFeature({
            postgres,
            folder: resolve(updates.folder),
            keys,
            now: () => new Date(),
            ...(updates.tokens ? { identify } : {}),
          }),
        ]
      : []),
    ...storeFeatures({
      postgres,
      sealKey: await readSealKey(data, postgres),
      authority,
      proofKey,
      identify,
      watch: { counts, isScraped: () => isScraped(data) },
    }),
    metricsFeature({
      counts,
      folder: data,
      version: programVersion(),
      ends,
      log,
      postgres,
      identify,
    }),
  ]
}
