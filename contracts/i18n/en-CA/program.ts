import bundles from './bundles.ts'
import enrolling from './enrolling.ts'
import enrolmentSheet from './enrolment-sheet.ts'
import errors from './errors.ts'
import exceptions from './exceptions.ts'
import files from './files.ts'
import installer from './installer.ts'
import launcher from './launcher.ts'
import publishing from './publishing.ts'
import receipt from './receipt.ts'
import screens from './screens.ts'
import starting from './starting.ts'
import storeServer from './store-server.ts'
import updates from './updates.ts'

/**
 * All messages of the program, in ICU MessageFormat: `bundles` (bundles of a store), `enrolling` (the installer’s tool
 * for codes), `enrolmentSheet` (the sheet for the enrolment of lanes), `errors` (problems), `exceptions` (the manager's
 * list), `files` (an installer's files), `installer` (the installer's tools), `launcher` (the program of an installed
 * lane), `publishing` (the installer's tool for updates), `receipt` (paper), `screens` (the window, which loads only
 * these), `starting` (errors at the start of a lane), `storeServer` (CLI commands of a store’s server), `updates`
 * (program versions of an installed lane).
 */
export default {
  bundles,
  enrolling,
  enrolmentSheet,
  errors,
  exceptions,
  files,
  installer,
  launcher,
  publishing,
  receipt,
  screens,
  starting,
  storeServer,
  updates,
}
