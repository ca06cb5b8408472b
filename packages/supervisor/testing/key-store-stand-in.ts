import type { OsKeyStore } from '../key-store.ts'

/**
 * A replacement for the operating system’s key store, which needs Electron and a desktop session. As in the real one,
 * another user cannot open the secrets.
 */
export const keyStoreOf = (user: string, backend = 'gnome_libsecret'): OsKeyStore => ({
  isAsyncEncryptionAvailable: () => Promise.resolve(true),
  getSelectedStorageBackend: () => backend,
  encryptStringAsync: (text) =>
    Promise.resolve(Buffer.from(JSON.stringify({ user, text: Buffer.from(text).toString('hex') }))),
  decryptStringAsync: async (sealed) => {
    const { user: owner, text } = JSON.parse(sealed.toString()) as { user: string; text: string }
    if (owner !== user) throw new Error('not yours')
    return { result: Buffer.from(text, 'hex').toString(), shouldReEncrypt: false }
  },
})
