import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, StartRefusedError } from './data-folder.ts'

const fileOf = (dataFolder: string): string => join(dataFolder, 'client.secret')

/**
 * The secret for the token service: from the environment (the shell takes it from the operating system's key store),
 * else from a file that only its owner can read. Null when there is none. Throws StartRefusedError when others can read
 * the file.
 */
export function readClientSecret(dataFolder: string, environment: NodeJS.ProcessEnv): string | null {
  const given = environment['MILEPOST_CLIENT_SECRET']
  if (given) return given
  const file = fileOf(dataFolder)
  if (!existsSync(file)) return null
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new StartRefusedError(
      `The secret file ${file} can be read by others. Run: chmod 600 '${file}'`,
      EXIT.badArguments,
    )
  }
  return readFileSync(file, 'utf8').trim() || null
}

export function writeClientSecret(dataFolder: string, secret: string): void {
  const file = fileOf(dataFolder)
  // A mode is given to a new file only: one that others could read is closed before the secret is in it.
  if (existsSync(file)) chmodSync(file, 0o600)
  writeFileSync(file, secret.trim() + '\n', { mode: 0o600, flush: true })
}
