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
