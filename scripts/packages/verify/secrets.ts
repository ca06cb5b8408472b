import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sha256 } from '../../../delivery/bundle.ts'
import { secretFinder, type PlantedSecret } from '../../testing/planted-secrets.ts'
import { passphraseGiven } from '../../keys/keyring.ts'

/** Shorter ones are found by chance. */
const SHORTEST = 8

/**
 * Looks for what the machine that makes packages knows and no package may hold: the installer's private keys, their
 * passphrase, a client secret of the environment. A content that was looked at before is not looked at again.
 */
export function lookForSecrets(keysFolder: string): (name: string, bytes: Buffer) => readonly string[] {
  const known = [passphraseGiven(), process.env['MILEPOST_CLIENT_SECRET'] ?? null]
  const secrets: PlantedSecret[] = [
    ...privateLines(keysFolder),
    ...known.filter((value) => value !== null && value.length >= SHORTEST).map((value) => value ?? ''),
  ].map((value) => ({ kind: 'key', value }))
  const find = secretFinder(secrets)
  const seen = new Map<string, readonly string[]>()
  return (name, bytes) => {
    if (secrets.length === 0 || RUNTIME.test(name)) return []
    const id = sha256(bytes)
    const before = seen.get(id)
    if (before !== undefined) return before
    const found = [...new Set(find(bytes).map(({ as }) => `holds a secret of the installer’s (${as})`))]
    seen.set(id, found)
    return found
  }
}

/** As it came, and the largest of all: its hash in the signed list says what it is. */
const RUNTIME = /^slots\/a\/(bin\/node|milepost|Milepost\.exe|.*\.(pak|dat|bin))$/

/** What stands in the files of private keys, a line of base64 each. */
function privateLines(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.private.pem'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'))
    .filter((line) => /^[\w+/=]{32,}$/.test(line))
}
