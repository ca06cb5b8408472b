import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { startCentral, type Central } from '../../central/app.ts'

const Proof = z.object({ ok: z.boolean(), problems: z.array(z.string()) })

/** The reference services in this process, with a data folder that goes with them; loopback only. */
export interface OwnServices {
  readonly central: Central
  control(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown>
  /** Stops and clears away. Throws when the ledger does not balance, so that every test proves that it does. */
  close(): Promise<void>
}

export async function openOwnServices(): Promise<OwnServices> {
  const data = await mkdtemp(join(tmpdir(), 'milepost-conformance-'))
  const central = await startCentral({
    data,
    seed: 7,
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    tokenTtl: 300,
    logLevel: 'silent',
  })
  const control: OwnServices['control'] = async (method, path, body) => {
    const response = await fetch(`${central.controlUrl}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    return text === '' ? null : (JSON.parse(text) as unknown)
  }
  return {
    central,
    control,
    async close() {
      const { ok, problems } = Proof.parse(await control('GET', '/ledger/check'))
      await central.close()
      await rm(data, { recursive: true, force: true })
      if (!ok) throw new Error(`the ledger does not balance: ${problems.join('; ')}`)
    },
  }
}
