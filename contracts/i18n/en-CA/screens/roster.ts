/** People of the lane. */
export default {
  people: {
    add: 'Add person',
    edit: 'Edit {name}',
    actions: 'Actions',
    language: 'Language',
    save: 'Save',
    saved: '{name} saved.',
    nameMissing: 'Enter a name.',
    resetPin: 'Reset PIN',
    remove: 'Deactivate',
    gone: '{name} can no longer sign in.',
    restore: 'Reactivate',
    back: '{name} can sign in again.',
    left: 'Inactive',
    pinOf: 'One-time PIN for {name}',
    oneTimePin: 'One-time PIN',
    pinHint: 'Shown once. It must be changed at the next sign-in.',
    done: 'Done',
  },
} as const
