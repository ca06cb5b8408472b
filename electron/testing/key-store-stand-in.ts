import type { OsKeyStore } from '../key-store.ts'

/** The real key store needs Electron and a desktop session. This one keeps its promise: unreadable without its user. */
export const keyStoreOf = (user: string, backend = 'gnome_libsecret'): OsKeyStore => ({
  isEncryptionAvailable: () => true,
  getSelectedStorageBackend: () => backend,
  encryptString: (text) => Buffer.from(JSON.stringify({ user, text: Buffer.from(text).toString('hex') })),
  decryptString: (sealed) => {
    const { user: owner, text } = JSON.parse(sealed.toString()) as { user: string; text: string }
    if (owner !== user) throw new Error('not yours')
    return Buffer.from(text, 'hex').toString()
  },
})
