import errors from './errors.ts'
import exceptions from './exceptions.ts'
import files from './files.ts'
import installer from './installer.ts'
import receipt from './receipt.ts'
import screens from './screens.ts'

/**
 * All that the program says, in ICU MessageFormat: `errors` (problems), `exceptions` (the manager's list), `files` (an
 * installer's files), `installer` (the installer's tools), `receipt` (paper), `screens` (the window, which fetches them
 * alone).
 */
export default { errors, exceptions, files, installer, receipt, screens }
