import { existsSync, readFileSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Signer, makeKey, signerOf } from '../keys.ts'
import { TrustList, neededLists, newestTrust, firstTrust, sealTrust } from '../trust.ts'
import { makeFolder, writeNew, writeWhole } from '../whole-file.ts'
import { dataHome } from '../../supervisor/places.ts'

export class KeyringError extends Error {
  override name = 'KeyringError'
}

/** Passphrase of the private keys; null if it is not set. An empty passphrase would not protect the keys. */
export const passphraseFromEnvironment = (): string | null => process.env['MILEPOST_KEY_PASSPHRASE'] || null

/**
 * The signing keys of an installer: a folder with the private keys, readable only by its owner, and the lists of
 * trusted keys. `passphrase` encrypts the private keys; null stores them unencrypted. Throws KeyringError if the folder
 * is inside the source tree, whose files are copied into packages.
 */
export class Keyring {
  private readonly folder: string
  private readonly passphrase: string | null
  private readonly listFolder
  /**
   * The signed lists of trusted keys, oldest first: the first is built into programs, the others are included in
   * bundles if a lane needs them to reach the newest list.
   */
  readonly lists: readonly Buffer[]
  readonly trust: TrustList | null
  private cachedNeeded: readonly Uint8Array[] | null = null

  constructor(folder: string, checkout: string, passphrase: string | null) {
    this.folder = folder
    this.passphrase = passphrase
    if (isWithin(folder, checkout))
      throw new KeyringError(`${folder} is inside the checkout. Choose a folder outside it for private keys.`)
    if (existsSync(folder) && !statSync(folder).isDirectory())
      throw new KeyringError(`${folder} is a file. Choose the folder of your keys.`)
    this.listFolder = path.join(folder, 'trust')
    this.lists = existsSync(this.listFolder)
      ? readdirSync(this.listFolder)
          .filter((name) => name.endsWith('.keys'))
          .toSorted()
          .map((name) => readFileSync(path.join(this.listFolder, name)))
      : []
    const [first, ...others] = this.lists
    const own = first === undefined ? null : firstTrust(first)
    if (first !== undefined && own === null)
      throw new KeyringError(`${this.listFile(1)} is not a list of trusted keys. Restore it from your backup.`)
    this.trust = own && newestTrust(own, others)
  }

  private listFile(version: number): string {
    return path.join(this.listFolder, `${String(version).padStart(6, '0')}.keys`)
  }

  private privateFile(id: string): string {
    return path.join(this.folder, `${id}.private.pem`)
  }

  private signerWith(id: string): Signer | null {
    const file = this.privateFile(id)
    if (!existsSync(file)) return null
    try {
      return signerOf(readFileSync(file, 'utf8'), this.passphrase)
    } catch {
      throw new KeyringError(
        `${file} cannot be decrypted. Set MILEPOST_KEY_PASSPHRASE, or restore the file from your backup.`,
      )
    }
  }

  private signerAmong(among: readonly { readonly id: string }[]): Signer {
    for (const { id } of among) {
      const found = this.signerWith(id)
      if (found) return found
    }
    throw new KeyringError(
      `${this.folder} has no private key of a trusted key. ` +
        'Create the first one: npm run milepost -- keys new --name NAME',
    )
  }

  /**
   * Writes a list of trusted keys to the file of its version. Fails if a parallel CLI command has already written that
   * version.
   */
  private write(list: TrustList, by: Signer): void {
    makeFolder(this.listFolder, 0o700)
    if (!writeNew(this.listFile(list.version), sealTrust(list, by), true))
      throw new KeyringError('Another CLI command changed the keys at the same time. Nothing was done. Try again.')
  }

  /**
   * Validates a list before any file is written: a list that is rejected later would leave the file of an unused key.
   */
  private checked(list: TrustList): TrustList {
    const { success, data } = TrustList.safeParse(list)
    if (success) return data
    throw new KeyringError(
      'A name has at most 80 characters, a reason at most 200, and a list at most 32 trusted keys.',
    )
  }

  /** The lists that a bundle must include, so that every lane can reach the newest list. */
  get needed(): readonly Uint8Array[] {
    this.cachedNeeded ??= neededLists(this.lists)
    return this.cachedNeeded
  }

  /**
   * Returns the oldest trusted key with a private key: lanes that do not know newer keys trust it, and learn the newer
   * keys from what it signs. Throws KeyringError if there is no such key.
   */
  signer(): Signer {
    return this.signerAmong(this.trust?.keys ?? [])
  }

  add(name: string): string {
    const before = this.trust
    // A list is signed by a key of the previous list; the first list is signed by its own key.
    const by = before && this.signerAmong(before.keys)
    const { pem, publicKey } = makeKey(this.passphrase)
    const key = { ...publicKey, name }
    const list = this.checked(
      before
        ? { ...before, version: before.version + 1, keys: [...before.keys, key] }
        : { format: 1, version: 1, keys: [key], revoked: [] },
    )
    makeFolder(this.folder, 0o700)
    writeWhole(this.privateFile(publicKey.id), pem)
    try {
      this.write(list, by ?? signerOf(pem, this.passphrase))
    } catch (error) {
      rmSync(this.privateFile(publicKey.id), { force: true })
      throw error
    }
    return publicKey.id
  }

  /** Revokes a key. Throws KeyringError if it is the last key, or if the id matches no key or several. */
  revoke(idPrefix: string, reason: string): string {
    const found = this.trust?.keys.filter(({ id }) => id.startsWith(idPrefix)) ?? []
    const [key] = found
    if (!this.trust || !key || found.length > 1)
      throw new KeyringError(
        found.length > 1
          ? `Several trusted keys begin with ${idPrefix}. Give more characters of the id.`
          : `No trusted key begins with ${idPrefix}. List the keys: npm run milepost -- keys list`,
      )
    const keys = this.trust.keys.filter(({ id }) => id !== key.id)
    if (keys.length === 0)
      throw new KeyringError(
        'This is the only trusted key. Create another one first: npm run milepost -- keys new --name NAME',
      )
    // The new list is signed by a remaining key, because a list signed by the revoked key could come from a thief.
    this.write(
      this.checked({
        ...this.trust,
        version: this.trust.version + 1,
        keys,
        revoked: [...this.trust.revoked, { ...key, reason }],
      }),
      this.signerAmong(keys),
    )
    return key.id
  }
}

export const openKeyring = (...args: ConstructorParameters<typeof Keyring>): Keyring => new Keyring(...args)

function isWithin(folder: string, other: string): boolean {
  const relative = path.relative(realOf(other), realOf(path.resolve(folder)))
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative))
}

function realOf(place: string): string {
  if (existsSync(place)) return realpathSync(place)
  const parent = path.dirname(place)
  return parent === place ? place : path.join(realOf(parent), path.basename(place))
}

export const DEFAULT_KEYS = path.join(dataHome(), 'milepost-keys')
