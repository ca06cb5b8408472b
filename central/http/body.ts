import { nestsTooDeep } from '../../contracts/json-depth.ts'

/** What a body says; undefined when it is not JSON, or nested too deep. */
export function parseBody(bytes: unknown): unknown {
  try {
    const json = Buffer.isBuffer(bytes) ? bytes.toString('utf8') : ''
    return nestsTooDeep(json) ? undefined : (JSON.parse(json) as unknown)
  } catch {
    return undefined
  }
}
