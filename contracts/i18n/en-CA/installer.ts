/** Texts of the installer's tool for devices (`npm run milepost devices`): plain text in a terminal window. */
import { PRINTER_TODO } from './printer.ts'

export default {
  heading: 'Devices of lane {lane}, store {store} ({name})',
  none: 'No devices in this lane’s profile.',
  leave: 'Press Ctrl+C to quit.',
  role: {
    'card-reader': 'Card reader',
    scanner: 'Scanner',
    printer: 'Printer',
    drawer: 'Drawer',
    'line-display': 'Customer line display',
    scale: 'Scale',
    'card-terminal': 'Card terminal',
  },
  state: {
    ready: 'ready',
    connecting: 'connecting',
    unavailable: 'disconnected',
    'needs-attention': 'needs attention',
    'not-configured': 'not set up',
  },
  position: { open: 'open', closed: 'closed' },
  label: {
    wire: 'wire',
    identity: 'identity',
    driver: 'driver',
    folder: 'folder',
    room: 'free space',
    says: 'reports',
    reason: 'reason',
    advice: 'what to do',
    counts: 'counts',
    weight: 'weight',
    lastRead: 'last read',
    raw: 'raw bytes',
  },
  identityNone: 'no stable name: path may change with the cable',
  identityOther: '{names} (use /dev/serial/by-id/{first} in the profile: this path may change)',
  identityAbsent: 'plugged in now: {names}',
  identityNothing: 'no serial device plugged in',
  driver: {
    'card-reader': 'magnetic stripe reader, tracks 1 to 3',
    scanner: 'barcode scanner',
    printer: 'receipt printer, {language}, {columns} columns',
    drawer: 'switch of the cash drawer',
    'line-display': 'line display, CD5220, two lines of twenty characters',
    scale: 'scale, {language}',
    'card-terminal': 'nexo Retailer 3.0 over TLS',
  },
  nothingCounted: 'none yet',
  read: {
    'program-card': 'member card, {masked}',
    collector: 'member number, {masked}',
    'staff-badge': 'staff badge',
    'foreign-card': 'not a member card: refused, not stored',
    unreadable: 'unreadable: try again',
    item: 'item, {masked}',
    receipt: 'receipt, {masked}',
    unknown: 'unknown code',
  },
  readBy: '{entryMode}, {what}',
  change: '{time}  {role}: {what}',
  trouble: {
    ...PRINTER_TODO,
    'in-use': 'Port in use by {holder}. Close that program (or the terminal) first.',
    'in-use-by-somebody': 'Port in use by another user. Find it: sudo fuser -v {path}. ModemManager: docs/lane.md.',
    'not-there': 'Nothing at this path. Plug in the cable; compare the profile with /dev/serial/by-id.',
    'not-allowed': 'Port access denied. Add this user to dialout (lp for /dev/usb/lp0), then sign in again.',
    unplugged: 'Disconnected or switched off. Plug it back in; it reconnects automatically.',
    refused: 'Connection refused. Check the port in the profile and the device’s network service.',
    'no-answer': 'No response. Check power, network cable and the address in the profile.',
    unreachable: 'Address unreachable. Check the lane’s network and the address in the profile.',
    'unknown-name': 'Unknown host. Check the name in the profile or use the address.',
    closed: 'Connection closed by the device. It may be busy with another lane or starting.',
    stalled: 'Device accepts no data. Check paper, cover and flow control; restart it.',
    'not-open': 'Opening the port. If this persists, check the cable and the path in the profile.',
    'no-bench': 'Virtual devices are for training mode only. Add the real one to the profile.',
    'not-confirmed': 'Check the paper: this printer does not confirm printing.',
    'scale-unit': 'Scale weighs in another unit. Compare its plate with the profile.',
    'scale-fault': 'Scale fault, or another protocol. Check its display and the profile.',
    'printer-silent': 'Printer reports no status. Print a test page; check the language in the profile.',
    other: 'Check the cable and restart the device. If this persists, give the reason to support.',
  },
  notConfiguredHelp: 'Not in the profile. Add it there if the lane has one.',
  terminalRuns: 'The terminal is using: {roles}. Close the terminal, then run this again.',
  commandLine: {
    unknownOption: 'Unknown option {option}.',
    valueMissing: '{option} needs a value.',
    language: '--language must be en-CA or fr-CA, not {language}.',
  },
  provision: {
    usage:
      'npx node backend/operations/provision.ts set-secret --data FOLDER\n' +
      'npx node backend/operations/provision.ts set-mail-password --data FOLDER\n' +
      'npx node backend/operations/provision.ts set-pin --data FOLDER --profile FILE --staff ID\n' +
      'npx node backend/operations/provision.ts restore --data FOLDER --from BACKUP\n' +
      'npx node backend/operations/provision.ts enrol --data FOLDER --profile FILE [--lane ID]\n' +
      '         [--service ADDRESS] [--certificate CHECK]\n\n' +
      'Stores values on a lane that its profile must not contain: the client secret of the token service, the ' +
      'password of\nthe mail server, or the PIN of a ' +
      'person (four to eight digits, changed by its owner at the first sign-in). The value is read from standard ' +
      'input,\n' +
      'which keeps it out of the command history and the list of processes.\n\n' +
      'enrol exchanges the one-time code of a lane’s sheet for its secret and first PINs.\n\n' +
      'restore replaces the database by a backup; the replaced one is saved with the backups.\n\n' +
      '  --language CODE   en-CA or fr-CA\n\n' +
      '  MILEPOST_PROVISION_VALUE  the value, from a parent process that has no standard input to give; ' +
      'MILEPOST_SEAL_KEY  as for the backend',
    noCommand: 'Choose a command: set-secret, set-mail-password, set-pin, enrol or restore.',
    nothingBeside: '{command} takes options only; the value is read from standard input.',
    noData: '--data FOLDER is required.',
    noBackup: 'restore needs --from BACKUP.',
    noPerson: 'set-pin needs --profile FILE and --staff ID.',
    noProfile: 'enrol needs --profile FILE.',
    unknownPerson: 'No {staff} under staff in the profile; it has {known}.',
    askPin: 'PIN (four to eight digits): ',
    askCode: 'Enrolment code, or scan the QR code: ',
    askSecret: 'Client secret: ',
    askMailPassword: 'Password of the mail server: ',
    pinShape: 'A PIN has four to eight digits. Nothing was changed.',
    pinCommon: 'PIN too easy to guess (same digits, 1234, date or year). Nothing was changed.',
    pinSet: 'PIN of {staff} set.',
    mailPasswordSet: 'Password of the mail server saved, sealed with the key of this lane.',
    secretSet: 'Client secret saved on this lane, readable by its owner only.',
    valueEmpty: 'MILEPOST_PROVISION_VALUE is empty. Nothing was changed.',
    valueMissing: 'No value on standard input. Nothing was changed.',
    running: 'Terminal {folder} is running. Stop it, then run this again. Nothing was changed.',
  },
  enrol: {
    done: 'Lane {lane} of store {store} enrolled with code {code}.',
    people: '{people, plural, one {# person has} other {# people have}} a one-time PIN.',
    noPeople: 'No PINs were received. Set the first ones: set-pin.',
    noSecret: 'No client secret was received. Provision it: set-secret.',
    noService: '--service ADDRESS is missing. See the sheet, or scan its QR code.',
    training: 'This is a training lane: no secret or PIN was stored. Its sales do not count.',
    triesLeft: '{tries, plural, one {# try} other {# tries}} left.',
    belongsTo: 'The code is for lane {lane} of store {store}.',
    clockFast: 'The lane’s clock is fast by {minutes, plural, one {# minute} other {# minutes}}. Set it.',
    clockSlow: 'The lane’s clock is slow by {minutes, plural, one {# minute} other {# minutes}}. Set it.',
  },
  supportFile: {
    usage:
      'npm run milepost -- support --data FOLDER [--out FILE]\n\n' +
      'Makes the file that a store sends to support: the state of a lane, from its data folder, whether the ' +
      'terminal\n' +
      'runs or not. The file contains no card number, PIN, key or name; if it could contain one, no file is ' +
      'made.\n\n' +
      '  --data FOLDER     the data folder of the lane\n' +
      '  --out FILE        the output file (default: in this folder, named after store, lane and day)\n' +
      '  --language CODE   en-CA or fr-CA\n\n' +
      '  MILEPOST_CLIENT_SECRET, MILEPOST_SEAL_KEY  as for the backend',
    noData: '--data FOLDER is required.',
    noDatabase: '{folder} has no terminal. Name the data folder of a lane.',
    keyAway: 'This lane’s secrets are in the key store. Use: milepost --support-file FILE.',
    otherVersion: 'Another version of Milepost made this database. Use that version.',
    exists: '{file} already exists. Name another file.',
    cannotWrite: 'No file: {file} cannot be written. Choose another location, or free space.',
    refusedShape: 'No file: unexpected content in “{section}”. Nothing was saved. Call support.',
    refusedSecret: 'No file: private content in “{section}”. Nothing was saved. Call support.',
    failed: 'No file: the data folder cannot be read. Check its permissions, then call support.',
    saved: 'Saved: {file}. Send it to support.',
  },
  findTrace: {
    usage:
      'npm run milepost -- lane trace RECEIPT --data FOLDER [--json]\n\n' +
      'Shows the calls of a receipt that moved miles: the trace of each, by which it is found in logs and at the ' +
      'program,\n' +
      'and its steps with their times. Changes nothing.\n\n' +
      '  RECEIPT           the number under the barcode, or its end (4 characters or more); or a trace\n' +
      '  --data FOLDER     the data folder of the lane\n' +
      '  --json            one JSON object per line\n' +
      '  --language CODE   en-CA or fr-CA',
    needed: 'A receipt number and --data FOLDER are required.',
    noDatabase: '{folder} has no terminal. Name the data folder of a lane.',
    otherVersion: 'Another version of Milepost made this database. Use that version.',
    neither: '“{text}” is not a receipt number or a trace. Type at least 4 characters of the number.',
    several: 'Several receipts end in {text}. Type more of the number:\n{receipts}',
    nothing: 'This lane has no receipt or trace {text}. Check the number and the lane.',
    noCalls: 'This receipt has no calls that move miles.',
    failed: 'No result: the data folder cannot be read. Check its permissions, then call support.',
    receipt: 'Receipt',
    trace: 'Trace',
    number: 'Number',
    sent: 'sent to the program',
  },
  doctor: {
    usage:
      'npm run milepost -- lane doctor --data FOLDER --profile FILE [options]\n\n' +
      'Checks a lane, whether its terminal runs or not, and changes nothing on it. Takes at most ten seconds.\n\n' +
      '  --data FOLDER     the data folder of the lane\n' +
      '  --profile FILE    the store profile; a bundle on the lane replaces it\n' +
      '  --lane ID         the lane of the profile (default: the first)\n' +
      '  --json            one JSON object per line\n' +
      '  --language CODE   en-CA or fr-CA\n\n' +
      'Exit codes: 0 when nothing needs action, 1 when something needs attention, 2 when something is wrong.',
    needed: '--data FOLDER and --profile FILE are required.',
  },
  testPage: {
    label: 'Test page',
    none: 'No printer in this lane’s profile: cannot print a test page.',
    queued: 'Queued for the printer.',
    sent: 'Sent; this printer cannot confirm. Check the paper.',
    confirmed: 'Printed: confirmed by the printer.',
    unknown: 'Unknown: interrupted while printing. Check the paper before printing again.',
    failed: 'Failed: nothing printed.',
    title: 'TEST PAGE',
    what: 'The ruler fills one line, amounts end at the right edge, signs are legible, codes scan.',
    noSale: 'Not a sale. Not a receipt.',
    ruler: 'Ruler of {columns} columns',
    signs: 'Signs',
    bold: 'Bold',
    large: 'LARGE',
    wire: 'Wire',
    language: 'Language',
    printed: 'Printed',
  },
} as const
