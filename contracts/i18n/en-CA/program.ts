import bundles from './bundles.ts'
import enrolmentSheet from './enrolment-sheet.ts'
import errors from './errors.ts'
import exceptions from './exceptions.ts'
import files from './files.ts'
import installer from './installer.ts'
import receipt from './receipt.ts'
import screens from './screens.ts'

/**
 * All that the program says, in ICU MessageFormat: `bundles` (what became of a store’s bundle), `enrolmentSheet`
 * (what a store enrols its lanes by), `errors` (problems), `exceptions` (the manager's list), `files` (an
 * installer's files), `installer` (the installer's tools), `receipt` (paper), `screens` (the window, which fetches them
 * alone).
 */
export default { bundles, enrolmentSheet, errors, exceptions, files, installer, receipt, screens }
