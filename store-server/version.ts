import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

const Package = z.object({ version: z.string().min(1) })

/** The version of the program that this server is of. */
export const programVersion = (): string =>
  Package.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'package.json'), 'utf8'))).version
