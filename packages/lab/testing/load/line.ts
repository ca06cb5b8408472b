import type { Grant } from '../../../../backend/core/central/token.ts'
import type { Exchange } from '../../../../backend/core/central/transport.ts'
import { createModelCentral } from '../../simulation/central.ts'
import { createSeededRng } from '../../simulation/rng.ts'
import { trainingStore } from './store.ts'

export interface Line {
  readonly exchange: Exchange
  readonly grant: Grant
}

const grant: Grant = () => Promise.resolve({ value: 'load', expiresInSeconds: 86_400 })

/** A loyalty service in this process that responds at once, with a sufficient balance for each collector. */
export function openModelLine(collectors: readonly string[]): Line {
  const central = createModelCentral({
    collectors: collectors.map((number) => ({ number, role: 'fine' })),
    now: () => Date.now(),
    timeZone: trainingStore().profile.timeZone,
    rng: { ...createSeededRng(1), onceIn: () => false },
  })
  return {
    grant,
    async exchange({ path, headers, body }) {
      const reply = central.handle({ path, key: headers?.['idempotency-key'] ?? null, body: body ?? new Uint8Array() })
      return {
        kind: 'answer',
        status: reply.status,
        headers: new Headers(),
        bytes: Buffer.from(JSON.stringify(reply.body)),
        latencyMs: 0,
        requestHeaders: {},
      }
    },
  }
}

export const silentLine: Line = { grant, exchange: () => new Promise(() => undefined) }
