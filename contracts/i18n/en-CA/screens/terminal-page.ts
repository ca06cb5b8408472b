/** The page of this terminal: its program, its disk and its backup. */
export default {
  terminalPage: {
    title: 'Terminal',
    intro: 'Backup, disk space and clock.',
    backup: 'Backup',
    backupNone: 'None yet',
    backupNoneHelp: 'Backs up each day at a quiet moment and when the terminal closes.',
    backupOutcome: { kept: 'Complete', 'no-space': 'Disk full', 'not-sound': 'Failed verification', failed: 'Failed' },
    backupHelp: {
      kept: 'Backup verified: {file} ({size} kB), in the data folder’s backups.',
      'no-space': 'Not enough disk space. Free some; the terminal tries again within the hour.',
      'not-sound': 'Backup failed verification; the disk may be failing. Call support, keep earlier backups.',
      failed: 'Backup failed. The terminal tries again within the hour; if it repeats, call support.',
    },
    room: 'Disk space',
    roomState: { enough: 'OK', low: 'Low', short: 'Almost full' },
    roomHelp: {
      enough: '{free} MB free; this lane needs {needed} MB.',
      low: '{free} MB free; this lane needs {needed} MB with a backup. Free disk space this week.',
      short: '{free} MB free; this lane needs {needed} MB. Free disk space now, or sales will stop.',
    },
  },
} as const
