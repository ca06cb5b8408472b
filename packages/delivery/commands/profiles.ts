import { startProfileChecker } from './check-profile.ts'
import { runProfiles } from './profiles/commands.ts'

/**
 * `npm run milepost profiles`: renders the profiles of many stores from one folder of settings (docs/profile.md,
 * “Profiles of a chain”).
 */
const checker = startProfileChecker()
try {
  process.exitCode = await runProfiles(process.argv.slice(2), {
    checker,
    print: console.log,
    printError: console.error,
    ...(process.stderr.isTTY ? { progress: (text) => process.stderr.write(`\r\u001b[K${text}`) } : {}),
  })
} finally {
  checker.close()
}
