import bundles from './bundles.ts'
import enrolmentSheet from './enrolment-sheet.ts'
import errors from './errors.ts'
import exceptions from './exceptions.ts'
import files from './files.ts'
import installer from './installer.ts'
import receipt from './receipt.ts'
import screens from './screens.ts'

export default { bundles, enrolmentSheet, errors, exceptions, files, installer, receipt, screens }
