import type english from '../contracts/i18n/en-CA/launcher.ts'
import { autostart } from './commands/autostart.ts'
import { bundle } from './commands/bundle.ts'
import type { Command } from './commands/command.ts'
import { doctor } from './commands/doctor.ts'
import { enrol } from './commands/enrol.ts'
import { metrics } from './commands/metrics.ts'
import { restore } from './commands/restore.ts'
import { setPin } from './commands/set-pin.ts'
import { setSecret } from './commands/set-secret.ts'
import { start } from './commands/start.ts'
import { support } from './commands/support.ts'
import { trace } from './commands/trace.ts'
import { update } from './commands/update.ts'

/** What `milepost` can be told, each with its line in `launcher.commands` of every language. */
export const COMMANDS: Readonly<Record<keyof typeof english.commands, Command>> = {
  start,
  bundle,
  enrol,
  'set-pin': setPin,
  'set-secret': setSecret,
  restore,
  update,
  support,
  doctor,
  autostart,
  metrics,
  trace,
}
