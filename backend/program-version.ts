import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Package = z.object({ name: z.literal('milepost'), version: z.string().min(1) })

/** The version stands in package.json, beside this folder in the sources and one further up when built. */
export function programVersion(): string {
  for (const up of ['..', '../..', '../../..']) {
    try {
      return Package.parse(JSON.parse(readFileSync(join(import.meta.dirname, up, 'package.json'), 'utf8'))).version
    } catch {
      continue
    }
  }
  return '0.0.0'
}
