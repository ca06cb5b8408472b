/** Words of `milepost`, the program of an installed lane, to whoever installs it: plain text in a terminal window. */
export default {
  usage: 'milepost [COMMAND] [options]',
  help: 'help                 this page',
  /** A line each: the command, then what it does. */
  commands: {
    start: 'start                open the terminal (also without a command)',
    bundle: 'bundle put FILE      put a bundle of the store on the lane; bundle undo, bundle list',
    'set-pin': 'set-pin STAFF        set a person’s first PIN, read from standard input',
    'set-secret': 'set-secret           keep the client secret, read from standard input',
    restore: 'restore FILE         put a backup in the place of the database',
    update: 'update status        what runs and what waits; update check, now, tonight, back',
    support: 'support [FILE]       save the support file',
  },
  options: {
    lane: '--lane ID            the lane (default: the store’s first)',
    data: '--data FOLDER        the lane’s data folder',
    language: '--language CODE      en-CA or fr-CA',
    noWindow: '--no-window          with start: open no window, print the address',
    from: '--from ADDRESS       with update check: where updates are published',
    port: '--port NUMBER        with start: port on 127.0.0.1 (default: any)',
  },
  seeHelp: 'All commands: milepost help',
  noCommand: 'There is no such command.',
  wrongOption: '{option} is not an option of this command, or lacks its value.',
  wrongWords: 'This command was given too few or too many words.',
  wrongPort: '--port needs a number from 0 to 65535, not “{port}”.',
  wrongLanguage: '--language needs en-CA or fr-CA.',
  noPackage: '{folder} is not in an installed package. Install the store’s package and run its milepost.',
  running: 'A terminal (process {process}) is running on {folder}. Stop it first. Nothing was changed.',
  update: {
    tries: 'Milepost {version} is tried.',
    tryFailed: 'Milepost {version} did not start: {why}.',
    wentBack: 'Milepost {version} did not start in three tries: back to the one before.',
    why: {
      ended: 'it ended at once',
      hung: 'it was not ready in time',
      crashed: 'it ended while it was in use',
      killed: 'it was cut off',
      damaged: 'its files are damaged',
      asked: 'the version before was asked for',
    },
  },
} as const
