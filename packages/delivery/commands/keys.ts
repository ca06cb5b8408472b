import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorText, readArgs } from '../../../scripts/command-line.ts'
import { DEFAULT_KEYS, KeyringError, openKeyring, passphraseFromEnvironment } from './keyring.ts'

/** `npm run milepost -- keys COMMAND`: the keys with which an installer signs store bundles and updates. */
const root = fileURLToPath(new URL('../../..', import.meta.url))
const HELP = `npm run milepost -- keys COMMAND [options]

  new --name NAME           create a key and trust it in addition to the others
  list                      list trusted and revoked keys
  revoke ID --reason TEXT   revoke a key, by the first characters of its id

  --keys FOLDER             the folder of the keys (${DEFAULT_KEYS}); never inside the checkout
  MILEPOST_KEY_PASSPHRASE   encrypts and decrypts the private keys

To replace a key, create a new one, send every lane a bundle, then revoke the old one. Lanes receive the change with the
next bundle. Keep an offline copy of the folder: without a private key you cannot sign.
`

function run(): number {
  const { values, words, help } = readArgs(process.argv.slice(2), { texts: 'keys name reason', words: true })
  const [command, id, more] = words
  if (more !== undefined)
    throw new KeyringError(`“${more}” is an unexpected argument. Put a reason with spaces in quotes.`)
  if (command === undefined) {
    process.stdout.write(HELP)
    return help ? 0 : 2
  }
  const folder = path.resolve(values.keys ?? DEFAULT_KEYS)
  const passphrase = passphraseFromEnvironment()
  const keyring = openKeyring(folder, root, passphrase)
  switch (command) {
    case 'new': {
      if (!values.name) throw new KeyringError(`--name is missing: the owner of the key.\n${HELP}`)
      console.log(`Key ${keyring.add(values.name)} of ${values.name} was created in ${folder}.`)
      if (passphrase === null)
        console.log(
          'It has no passphrase: anyone who can read the folder can sign. Set one in MILEPOST_KEY_PASSPHRASE.',
        )
      return 0
    }
    case 'list': {
      if (!keyring.trust) {
        console.log(`There are no keys in ${folder}. Create the first one: npm run milepost -- keys new --name NAME`)
        return 0
      }
      for (const key of keyring.trust.keys) console.log(`trusted  ${key.id}  ${key.name}`)
      for (const key of keyring.trust.revoked) console.log(`revoked  ${key.id}  ${key.name}: ${key.reason}`)
      return 0
    }
    case 'revoke': {
      if (!id || !values.reason) throw new KeyringError(`Give an id and --reason.\n${HELP}`)
      console.log(`Key ${keyring.revoke(id, values.reason)} is revoked. Lanes receive the change with the next bundle.`)
      return 0
    }
    default:
      throw new KeyringError(`There is no command ${command}.\n${HELP}`)
  }
}

try {
  process.exitCode = run()
} catch (error) {
  console.error(errorText(error, HELP))
  process.exitCode = 2
}
