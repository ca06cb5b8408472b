import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { complaintOf, readArgs } from '../../../scripts/command-line.ts'
import { DEFAULT_KEYS, KeyringError, openKeyring, passphraseGiven } from './keyring.ts'

/** `npm run milepost -- keys COMMAND`: the keys that an installer signs store bundles and updates with. */
const root = fileURLToPath(new URL('../../..', import.meta.url))
const HELP = `npm run milepost -- keys COMMAND [options]

  new --name NAME           a new key, trusted beside the others
  list                      which keys are trusted, and which are revoked
  revoke ID --reason TEXT   trust it no more; the beginning of its id is enough

  --keys FOLDER             where keys are kept (${DEFAULT_KEYS}); never inside the checkout
  MILEPOST_KEY_PASSPHRASE   closes and opens the private keys

To replace a key: make a new one, send every lane a bundle, then revoke the old one. Lanes take the change with the next
bundle. Keep a copy of the folder where no other machine reaches it: without a private key nothing can be signed.
`

function run(): number {
  const { values, words, help } = readArgs(process.argv.slice(2), { texts: 'keys name reason', words: true })
  const [command, id, more] = words
  if (more !== undefined) throw new KeyringError(`“${more}” is one word too many. Put a reason with blanks in quotes.`)
  if (command === undefined) {
    process.stdout.write(HELP)
    return help ? 0 : 2
  }
  const folder = path.resolve(values.keys ?? DEFAULT_KEYS)
  const passphrase = passphraseGiven()
  const keyring = openKeyring(folder, root, passphrase)
  switch (command) {
    case 'new': {
      if (!values.name) throw new KeyringError(`--name is needed: whose key it is.\n${HELP}`)
      console.log(`Key ${keyring.add(values.name)} of ${values.name} is in ${folder}.`)
      if (passphrase === null)
        console.log('It has no passphrase: whoever reads the folder can sign. MILEPOST_KEY_PASSPHRASE gives it one.')
      return 0
    }
    case 'list': {
      if (!keyring.trust) {
        console.log(`No keys in ${folder}. Make the first: npm run milepost -- keys new --name NAME`)
        return 0
      }
      for (const key of keyring.trust.keys) console.log(`trusted  ${key.id}  ${key.name}`)
      for (const key of keyring.trust.revoked) console.log(`revoked  ${key.id}  ${key.name}: ${key.reason}`)
      return 0
    }
    case 'revoke': {
      if (!id || !values.reason) throw new KeyringError(`An id and --reason are needed.\n${HELP}`)
      console.log(`Key ${keyring.revoke(id, values.reason)} is revoked. Lanes learn of it with the next bundle.`)
      return 0
    }
    default:
      throw new KeyringError(`There is no command ${command}.\n${HELP}`)
  }
}

try {
  process.exitCode = run()
} catch (error) {
  console.error(complaintOf(error, HELP))
  process.exitCode = 2
}
